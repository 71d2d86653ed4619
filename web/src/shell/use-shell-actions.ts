import { useLocation } from 'wouter'
import { useActions } from '../browser/actions.js'
import { useKeys } from '../browser/keys.js'
import { preference, setPreference, setTheme, theme } from '../browser/preferences.js'
import { useCopy } from '../ui/use-copy.js'

/** Offers the actions that every page has. */
export const useShellActions = ({
  onFold,
  onProjects,
  onHelp,
}: {
  onFold: () => void
  onProjects: () => void
  onHelp: () => void
}): void => {
  const copy = useCopy()
  const [, navigate] = useLocation()
  const isUtc = preference('zone') === 'utc'
  const isDense = preference('density') === 'dense'
  const hasKeys = preference('keys') !== 'off'
  const copyLink = () => copy(window.location.href, 'The link is copied.')
  useKeys({ c: copyLink })
  useActions([
    { name: 'Copy a link to this page', key: 'c', run: copyLink },
    ...(['light', 'dark', 'system'] as const)
      .filter((one) => one !== theme())
      .map((one) => ({
        name: `Theme: ${one === 'system' ? 'as the system' : one}`,
        run: () => setTheme(one),
      })),
    {
      name: isDense ? 'Rows: normal' : 'Rows: dense',
      run: () => setPreference('density', isDense ? 'normal' : 'dense'),
    },
    {
      name: isUtc ? 'Times: in my zone' : 'Times: in UTC',
      run: () => {
        setPreference('zone', isUtc ? 'local' : 'utc')
        // Times that are shown already are written anew.
        window.location.reload()
      },
    },
    {
      name: hasKeys ? 'Single keys: off' : 'Single keys: on',
      run: () => setPreference('keys', hasKeys ? 'off' : 'on'),
    },
    { name: 'Fold or unfold the rail', run: onFold },
    { name: 'Switch project…', run: onProjects },
    { name: 'New API key…', run: () => navigate('/settings/keys') },
    { name: 'Show the keys', key: '?', run: onHelp },
  ])
}
