/** The zone that times are shown in: the viewer's, unless they chose UTC. */
export const zone = (): string =>
  localStorage.getItem('zone') === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone
