import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { saveFile } from '../../base/files.ts'
import { Button } from '../../parts/button.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Section } from '../../parts/page.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { asFailure } from '../../requests/failure.ts'
import { send } from '../../requests/send.ts'
import { configQuery, useApi, useConfig } from '../../server/queries.ts'
import css from './govern.module.css'
import { Facts } from './plugins.tsx'

/** The health of the server, and its configuration as it reports it. */
export function ServerSection() {
  const config = useQuery(configQuery)
  if (config.isPending) return <Loading label="Reading the configuration" queryKey={configQuery.queryKey} />
  if (!config.data) return <Failed error={config.error} onRetry={() => void config.refetch()} />
  const { plugins, ...facts } = config.data
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['scroll']} aria-label="Server, scrolls" tabIndex={0}>
      <Section title="Health">
        <Health />
      </Section>
      {plugins.some(({ name }) => name === 'pg-dump') && <Dump />}
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

/** The contents of a dump with the arguments of pg_dump. */
const contents = {
  schema: { label: 'the schema', opts: ['--schema-only'] },
  rows: { label: 'the rows', opts: ['--data-only'] },
  all: { label: 'the schema and the rows', opts: [] },
} as const

/** The database as SQL, by `pg_dump`. */
function Dump() {
  const isOpen = useApi('pgdump')
  const enabled = useConfig()?.apis.enabled ?? []
  const [content, setContent] = useState<keyof typeof contents>('schema')
  const [schema, setSchema] = useState('public')
  const { isBusy, error, attempt } = useAttempt()
  const dump = () =>
    attempt(async () => {
      const opts = ['--no-owner', '--no-acl', ...contents[content].opts, ...(schema === '' ? [] : ['--schema', schema])]
      const { text } = await send({
        ...{ name: 'pg_dump', path: 'v1alpha1/pg_dump', body: { opts, clean_output: true } },
      })
      saveFile(`${schema || 'database'}.sql`, text, 'application/sql')
    })
  if (!isOpen) {
    return (
      <Section title="Dump">
        <p className={css['note']}>
          The API <strong>pgdump</strong> is closed. With it, the database can be saved as SQL. Start the server with{' '}
          <code>--enabled-apis {[...enabled, 'pgdump'].join(',')}</code>.
        </p>
      </Section>
    )
  }
  return (
    <Section title="Dump">
      {error !== null && <Failed error={error} />}
      <div className={css['dump']}>
        <Select<keyof typeof contents>
          label="Content"
          value={content}
          options={Object.entries(contents).map(([value, { label }]) => ({
            value: value as keyof typeof contents,
            label,
          }))}
          onChange={setContent}
        />
        <Field
          label="Schema of the database"
          placeholder="all"
          value={schema}
          onChange={({ target }) => setSchema(target.value)}
        />
        <Button icon={<Download aria-hidden />} isBusy={isBusy} onClick={() => void dump()}>
          Save as SQL
        </Button>
      </div>
    </Section>
  )
}
