import type { FunctionComponent } from 'react'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { type ServerConfig, useConfig } from '../../server/queries.ts'
import { pathOf, useGo, useNames } from '../../shell/navigation.tsx'
import { CollectionsSection } from './collections/collections.tsx'
import { HistorySection } from './history.tsx'
import { InconsistentSection } from './inconsistent.tsx'
import { LimitsSection } from './limits.tsx'
import { MetadataSection } from './metadata.tsx'
import { PluginsSection } from './plugins.tsx'
import { ServerSection } from './server.tsx'

interface SectionOfGovern {
  readonly title: string
  readonly Content: FunctionComponent
  /** The plugin that it needs; absent: it is always there. */
  readonly plugin?: string
}

const sections: Readonly<Record<string, SectionOfGovern>> = {
  metadata: { title: 'Metadata', Content: MetadataSection },
  history: { title: 'History', Content: HistorySection, plugin: 'history' },
  inconsistent: { title: 'Inconsistent', Content: InconsistentSection },
  collections: { title: 'Collections', Content: CollectionsSection, plugin: 'collections' },
  limits: { title: 'Limits', Content: LimitsSection, plugin: 'limits' },
  plugins: { title: 'Plugins', Content: PluginsSection },
  server: { title: 'Server', Content: ServerSection },
}

const isOffered = ({ plugin }: SectionOfGovern, config: ServerConfig | undefined): boolean =>
  plugin === undefined || (config?.plugins.some(({ name }) => name === plugin) ?? true)

/** The sections of the page, each with an address. */
export default function Govern() {
  const { section = 'metadata' } = useNames()
  const go = useGo()
  const config = useConfig()
  const offered = Object.entries(sections).filter(([, each]) => isOffered(each, config))
  const chosen = offered.find(([name]) => name === section)?.[1]
  return (
    <Page title="Govern">
      <Tabs
        label="Sections"
        value={section}
        tabs={offered.map(([value, { title }]) => ({ value, label: title }))}
        onChange={(next) => go(pathOf('govern', next))}
      >
        {chosen ? (
          <chosen.Content />
        ) : (
          <Empty title="There is no such section">The tabs above lead to the others.</Empty>
        )}
      </Tabs>
    </Page>
  )
}
