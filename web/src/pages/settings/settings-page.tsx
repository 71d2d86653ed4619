import { useLayoutEffect, useRef } from 'react'
import { Link, useParams } from 'wouter'
import { line } from '../../format/text.js'
import { loadedPage } from '../../ui/loading/page-loader.js'
import { Notices } from '../../ui/notices.js'
import { Top } from '../../ui/top.js'
import { AppearanceSection } from './appearance.js'
import { ConnectSection } from './connect.js'
import { ConversationsSection } from './conversations.js'
import { DefinitionsSection } from './definitions.js'
import { JudgesSection } from './judges.js'
import { KeysSection } from './keys.js'
import { ModelsSection } from './models/models-section.js'
import { RetentionSection } from './retention/retention-section.js'
import { EnvironmentsSection, StorageSection } from './storage.js'

const QuerySection = loadedPage(async () => (await import('./query/query-section.js')).QuerySection)

const AuditSection = loadedPage(async () => (await import('./audit/audit-section.js')).AuditSection)

const PricesSection = loadedPage(
  async () => (await import('./prices/prices-section.js')).PricesSection,
)

const AlertsSection = loadedPage(
  async () => (await import('./alerts/alerts-section.js')).AlertsSection,
)

const SECTIONS = {
  connect: { title: 'Connect', Section: ConnectSection },
  keys: { title: 'Keys', Section: KeysSection },
  environments: { title: 'Environments', Section: EnvironmentsSection },
  scores: { title: 'Scores', Section: DefinitionsSection },
  conversations: { title: 'Conversations', Section: ConversationsSection },
  judges: { title: 'Judges', Section: JudgesSection },
  alerts: { title: 'Alerts', Section: AlertsSection },
  models: { title: 'Models', Section: ModelsSection },
  prices: { title: 'Prices', Section: PricesSection },
  retention: { title: 'Retention', Section: RetentionSection },
  audit: { title: 'Audit', Section: AuditSection },
  storage: { title: 'Storage', Section: StorageSection },
  query: { title: 'Query', Section: QuerySection },
  appearance: { title: 'Appearance', Section: AppearanceSection },
} as const

export const SettingsPage = () => {
  const { section = '' } = useParams()
  const name = (Object.hasOwn(SECTIONS, section) ? section : 'connect') as keyof typeof SECTIONS
  const { Section } = SECTIONS[name]
  const tabs = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    // On narrow pages most sections are outside of the bar.
    const current = tabs.current?.querySelector(`[href$="/settings/${name}"]`)
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [name])
  return (
    <>
      <Top title="Settings" />
      <nav ref={tabs} className="tabs" aria-label="Sections">
        {Object.entries(SECTIONS).map(([key, { title }]) => (
          <Link
            key={key}
            href={`/settings/${key}`}
            aria-current={key === name ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <div className="page padded">
        {section !== '' && section !== name && (
          <Notices texts={[`There is no section “${line(section, 60)}” of the settings.`]} />
        )}
        <Section />
      </div>
    </>
  )
}
