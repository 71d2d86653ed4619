import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const page = join(import.meta.dirname, '../../../docs/operate/proxy.md')

export const hasNginx = spawnSync('nginx', ['-v']).error === undefined

/** Returns the configurations on the page about nginx, with other texts in place of some; each of these has to be there. */
export const configurations = async (
  replacements: readonly (readonly [from: string, to: string])[],
): Promise<string[]> =>
  [...(await readFile(page, 'utf8')).matchAll(/^```nginx\n(.*?)^```/gms)].map(([, text = '']) =>
    replacements.reduce((one, [from, to]) => one.replaceAll(from, to), text),
  )

/** Starts nginx with what is in its `http` block. Returns a function that ends it. */
export const startNginx = async (folder: string, text: string): Promise<() => Promise<void>> => {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/errors;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${text}}\n`,
  )
  const nginx = spawn('nginx', ['-e', join(folder, 'errors'), '-c', file])
  return async () => {
    const ended = once(nginx, 'exit')
    nginx.kill('SIGTERM')
    await ended
  }
}
