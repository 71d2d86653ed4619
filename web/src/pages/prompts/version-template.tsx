import { visible } from '../../format/text.js'
import { Messages } from '../../values/messages.js'
import { ValueView } from '../../values/value-view.js'
import type { Version } from './version.js'

/** The messages, settings and tools of a version. */
export const VersionTemplate = ({ version }: { version: Version }) => (
  <>
    <h2>
      v{version.version}
      {version.versionDesc && <span className="soft"> {visible(version.versionDesc)}</span>}
    </h2>
    <Messages messages={version.templateMessages} />
    {version.settings != null && <ValueView title="Settings" value={version.settings} />}
    {version.tools != null && <ValueView title="Tools" value={version.tools} />}
    <p className="soft">
      Variables:{' '}
      {(version.variables as { name: string }[])
        .map((variable) => visible(variable.name))
        .join(', ') || 'none'}
    </p>
  </>
)
