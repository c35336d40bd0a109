import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../base/format.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { configQuery, type ServerConfig } from '../../server/queries.ts'
import css from './govern.module.css'

type Plugin = ServerConfig['plugins'][number]

/** The plugins of the server with their APIs and options. */
export function PluginsSection() {
  const config = useQuery(configQuery)
  const [open, setOpen] = useState<Plugin | null>(null)
  if (config.isPending) return <Loading label="Reading the plugins" queryKey={configQuery.queryKey} />
  if (!config.data) return <Failed error={config.error} onRetry={() => void config.refetch()} />
  const { plugins, apis } = config.data
  const isOpen = ({ api }: Plugin): boolean => apis.enabled.includes(api)
  return (
    <>
      <Table<Plugin>
        label="Plugins"
        rows={plugins}
        rowKey={({ name }) => name}
        onOpen={setOpen}
        columns={[
          {
            ...{ key: 'name', title: plural(plugins.length, 'plugin'), width: 'minmax(120px, 1fr)' },
            cell: ({ name }) => <strong>{name}</strong>,
          },
          {
            ...{ key: 'version', title: 'Version', width: '104px', isSecondary: true },
            cell: ({ version, built_in }) => version ?? (built_in ? 'built in' : '–'),
          },
          {
            ...{ key: 'api', title: 'API', width: '168px' },
            cell: (plugin) => <Mark state={isOpen(plugin) ? 'good' : 'off'}>{plugin.api}</Mark>,
          },
          {
            ...{ key: 'options', title: 'Options', width: '96px', align: 'end', isSecondary: true },
            cell: ({ options }) => Object.keys(options).length,
          },
        ]}
      />
      <Dialog isOpen={open !== null} isWide title={open?.name ?? ''} onClose={() => setOpen(null)}>
        {open && <Facts facts={open.options} nothing="The plugin has no options." />}
      </Dialog>
    </>
  )
}

/** Names with their values. */
export const Facts = ({
  facts,
  nothing,
}: {
  readonly facts: Readonly<Record<string, unknown>>
  readonly nothing: string
}) =>
  Object.keys(facts).length === 0 ? (
    <p>{nothing}</p>
  ) : (
    <dl className={css['facts']}>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name} className={css['fact']}>
          <dt>{name}</dt>
          <dd>
            <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
