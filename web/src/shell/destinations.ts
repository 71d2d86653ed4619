import type { IconName } from '../ui/icons.js'

export interface Destination {
  path: string
  name: string
  icon: IconName
  /** The letter after `g`. */
  key: string
}

/** The pages of the rail, in groups. */
export const DESTINATIONS: readonly (readonly Destination[])[] = [
  [
    { path: '/overview', name: 'Overview', icon: 'overview', key: 'o' },
    { path: '/charts', name: 'Charts', icon: 'charts', key: 'h' },
  ],
  [
    { path: '/threads', name: 'Threads', icon: 'threads', key: 't' },
    { path: '/steps', name: 'Steps', icon: 'steps', key: 's' },
    { path: '/generations', name: 'Generations', icon: 'llm', key: 'n' },
    { path: '/scores', name: 'Scores', icon: 'scores', key: 'c' },
    { path: '/users', name: 'Users', icon: 'users', key: 'u' },
  ],
  [{ path: '/review', name: 'Review', icon: 'review', key: 'r' }],
  [
    { path: '/datasets', name: 'Datasets', icon: 'datasets', key: 'd' },
    { path: '/experiments', name: 'Experiments', icon: 'experiments', key: 'e' },
    { path: '/prompts', name: 'Prompts', icon: 'prompts', key: 'p' },
  ],
  [{ path: '/settings/connect', name: 'Settings', icon: 'settings', key: ',' }],
]
