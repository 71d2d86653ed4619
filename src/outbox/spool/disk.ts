import { builtin } from '../../builtin.js'
import { isAlive, type Owner, ownOwner } from './owner.js'

/** The functions of `node:fs` that a spool needs. */
export type Fs = Pick<
  typeof import('node:fs'),
  | 'accessSync'
  | 'closeSync'
  | 'ftruncateSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'readSync'
  | 'renameSync'
  | 'rmSync'
  | 'statSync'
  | 'unlinkSync'
  | 'utimesSync'
  | 'writeFileSync'
  | 'writeSync'
> & { constants: { W_OK: number } }

/** The files of this machine and the processes that use them. */
export interface Disk {
  fs: Fs
  ownOwner: () => Owner
  isAlive: (owner: Owner, silentMs: number) => boolean
  /** Returns a hash as hexadecimal digits. */
  hash: (text: string) => string
}

/** Returns undefined where there are no files, as in browsers. */
export const machineDisk = (): Disk | undefined => {
  const fs = builtin('node:fs')
  const crypto = builtin('node:crypto')
  if (fs === undefined || crypto === undefined || builtin('node:os') === undefined) return undefined
  const hash = (text: string) => crypto.createHash('sha256').update(text).digest('hex')
  return { fs: fs as Fs, ownOwner, isAlive, hash }
}
