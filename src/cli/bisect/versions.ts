/** A version as people name it. */
export interface Version {
  /** The hash of a commit; the name and the number of a prompt's version. */
  id: string
  /** The id in short, with the subject of a commit. */
  title: string
}

/** The place where the command runs at a version. */
export interface Place {
  folder: string
  env: NodeJS.ProcessEnv
}

/** Versions in their order: the first is good, the last is bad. */
export interface Versions {
  readonly list: readonly Version[]
  /** Prepares a version once. @throws VersionError when it can't be built. */
  open(index: number): Promise<Place>
  /** Returns why scores of a version say nothing of it; undefined when they do. */
  faultOf(index: number): string | undefined
  /** Says in a sentence where to look further in a version; undefined when there is no further place. */
  adviceOn(index: number): string | undefined
  /** Removes everything that was prepared, at once. */
  close(): void
}

/** A version that can't be prepared. */
export class VersionError extends Error {}
