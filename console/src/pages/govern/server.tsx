import { useQuery } from '@tanstack/react-query'
import { Mark } from '../../parts/mark.tsx'
import { Section } from '../../parts/page.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { asFailure } from '../../requests/failure.ts'
import { send } from '../../requests/send.ts'
import { configQuery } from '../../server/queries.ts'
import css from './govern.module.css'
import { Facts } from './plugins.tsx'

/** The health of the server, and its configuration as it reports it. */
export function ServerSection() {
  const config = useQuery(configQuery)
  if (config.isPending) return <Loading label="Reading the configuration" queryKey={configQuery.queryKey} />
  if (!config.data) return <Failed error={config.error} onRetry={() => void config.refetch()} />
  const { plugins: _, ...facts } = config.data
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['scroll']} aria-label="Server, scrolls" tabIndex={0}>
      <Section title="Health">
        <Health />
      </Section>
      <Section title="Configuration">
        <Facts facts={facts} nothing="" />
      </Section>
    </section>
  )
}

function Health() {
  const health = useQuery({
    queryKey: ['health'],
    refetchInterval: 15_000,
    queryFn: async ({ signal }) => (await send<string>({ name: 'healthz', path: 'healthz', signal })).text,
  })
  if (health.isPending) return <Mark state="waiting">asking the server</Mark>
  if (health.isError) return <Mark state="bad">{asFailure(health.error).message}</Mark>
  return <Mark state={health.data === 'OK' ? 'good' : 'waiting'}>{health.data}</Mark>
}
