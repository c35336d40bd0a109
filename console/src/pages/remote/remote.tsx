import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { usePlugin } from '../../server/queries.ts'
import { useGo, useNames, useUrlState } from '../../shell/navigation.tsx'
import { ActionsSection } from './actions-section.tsx'
import { CallsSection } from './calls-section.tsx'
import { SchemasSection } from './schemas-section.tsx'
import { TypesSection } from './types-section.tsx'

const sections = {
  schemas: { title: 'Remote schemas', path: 'remote', Content: SchemasSection },
  actions: { title: 'Actions', path: 'actions', Content: ActionsSection },
  types: { title: 'Types', path: 'actions?section=types', Content: TypesSection },
  calls: { title: 'Calls', path: 'actions?section=calls', Content: CallsSection },
} as const

type Section = keyof typeof sections

/** GraphQL servers beside the tables, and actions with their types and calls. */
export default function Remote() {
  const go = useGo()
  const [given] = useUrlState('section')
  const hasSchemas = usePlugin('remote-schemas')
  const hasActions = usePlugin('actions')
  const { action } = useNames()
  const isActions =
    action !== undefined || window.location.pathname.replace(/\/$/, '').endsWith('/actions') || !hasSchemas
  const chosen: Section = isActions ? (given === 'types' || given === 'calls' ? given : 'actions') : 'schemas'
  const { Content } = sections[chosen]
  const offered = (Object.keys(sections) as Section[]).filter((name) => (name === 'schemas' ? hasSchemas : hasActions))
  return (
    <Page title="Remote">
      <Tabs<Section>
        label="Sections"
        value={chosen}
        tabs={offered.map((value) => ({ value, label: sections[value].title }))}
        onChange={(next) => go(sections[next].path)}
      >
        <Content />
      </Tabs>
    </Page>
  )
}
