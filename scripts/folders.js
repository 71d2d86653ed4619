// Fails when a folder of the sources has more files side by side than a newcomer can survey.
import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAX_FILES = 17

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const flat = ['src', 'server/src', 'web/src'].flatMap((top) => {
  const files = readdirSync(join(root, top), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  )
  const counts = new Map()
  for (const { parentPath } of files) counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > MAX_FILES)
})
for (const [folder, count] of flat)
  console.error(
    `${relative(root, folder)}: ${count} files side by side, ${MAX_FILES} at most; divide it by idea`,
  )
process.exitCode = flat.length === 0 ? 0 : 1
