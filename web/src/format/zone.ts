let known: string | undefined

/** The zone that times are shown in: the viewer's, unless they chose UTC. Asked once, as asking a browser takes long. */
export const zone = (): string => {
  known ??=
    localStorage.getItem('zone') === 'utc'
      ? 'UTC'
      : Intl.DateTimeFormat().resolvedOptions().timeZone
  return known
}

/** Somebody chose another one. */
export const forgetZone = (): void => {
  known = undefined
}
