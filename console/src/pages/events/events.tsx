import type { FunctionComponent } from 'react'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useConfig } from '../../server/queries.ts'
import { pathOf, useGo, useNames } from '../../shell/navigation.tsx'
import { CronSection } from './cron.tsx'
import { JobsSection } from './jobs.tsx'
import { LogSection } from './log.tsx'
import { OnceSection } from './once.tsx'
import { TriggersSection } from './triggers.tsx'

interface SectionOfEvents {
  readonly title: string
  readonly Content: FunctionComponent
  readonly plugin: string
}

const sections: Readonly<Record<string, SectionOfEvents>> = {
  triggers: { title: 'Triggers', Content: TriggersSection, plugin: 'event-triggers' },
  log: { title: 'Log', Content: LogSection, plugin: 'event-triggers' },
  cron: { title: 'Cron', Content: CronSection, plugin: 'scheduled' },
  once: { title: 'One-off', Content: OnceSection, plugin: 'scheduled' },
  jobs: { title: 'Jobs', Content: JobsSection, plugin: 'jobs' },
}

/** The sections of the page, each with an address. */
export default function Events() {
  const { section = 'triggers' } = useNames()
  return <Sections section={section} />
}

/** The jobs have an address of their own. */
export const Jobs = () => <Sections section="jobs" />

function Sections({ section }: { readonly section: string }) {
  const go = useGo()
  const config = useConfig()
  const offered = Object.entries(sections).filter(
    ([, { plugin }]) => config?.plugins.some(({ name }) => name === plugin) ?? true,
  )
  const chosen = offered.find(([name]) => name === section)?.[1]
  return (
    <Page title="Events">
      <Tabs
        label="Sections"
        value={section}
        tabs={offered.map(([value, { title }]) => ({ value, label: title }))}
        onChange={(next) => go(pathOf('events', next))}
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
