import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../base/format.ts'
import { jsonLine } from '../../base/json.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import type { PluginParts } from '../../server/config-parts.ts'
import { openapiQuery } from '../../server/openapi.ts'
import { configQuery, type ServerConfig } from '../../server/queries.ts'
import { To } from '../../shell/navigation.tsx'
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
        {open && <About plugin={open} parts={config.data.console} />}
      </Dialog>
    </>
  )
}

interface AboutProps {
  readonly plugin: Plugin
  readonly parts: PluginParts | undefined
}

/** The options of a plugin, its routes and operations, and its parts of the console. */
function About({ plugin: { name, options, routes }, parts }: AboutProps) {
  const api = useQuery(openapiQuery)
  const isOwn = ({ plugin }: { readonly plugin: string }) => plugin === name
  const types = [...new Set((api.data?.operations ?? []).filter(isOwn).map(({ type }) => type))]
  const shown = [
    ...(parts?.pages ?? [])
      .filter(isOwn)
      .map(({ path, title }) => ({ path: `x/${name}/${path}`, title: `page ${title}` })),
    ...(parts?.table_tabs ?? []).filter(isOwn).map(({ title }) => ({ path: null, title: `tab ${title} of tables` })),
    ...(parts?.column_actions ?? [])
      .filter(isOwn)
      .map(({ title }) => ({ path: null, title: `action ${title} of cells` })),
    ...(parts?.cells ?? []).filter(isOwn).map(({ types: of }) => ({ path: null, title: `cells of ${of.join(', ')}` })),
    ...(parts?.commands ?? []).filter(isOwn).map(({ title }) => ({ path: null, title: `command ${title}` })),
  ]
  return (
    <>
      <Facts facts={options} nothing="The plugin has no options." />
      {routes.length > 0 && (
        <>
          <h3 className={css['heading']}>{plural(routes.length, 'route')}</h3>
          <ul className={css['names']}>
            {routes.map((route) => (
              <li key={route}>{route}</li>
            ))}
          </ul>
        </>
      )}
      {api.isPending && <Loading label="Reading the operations" queryKey={openapiQuery.queryKey} />}
      {types.length > 0 && (
        <>
          <h3 className={css['heading']}>{plural(types.length, 'operation')}</h3>
          <ul className={css['names']}>
            {types.map((type) => (
              <li key={type}>
                <To path={`api/operations/${encodeURIComponent(type)}`}>{type}</To>
              </li>
            ))}
          </ul>
        </>
      )}
      {shown.length > 0 && (
        <>
          <h3 className={css['heading']}>In the console</h3>
          <ul>
            {shown.map(({ path, title }) => (
              <li key={title}>{path === null ? title : <To path={path}>{title}</To>}</li>
            ))}
          </ul>
        </>
      )}
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
            <code>{typeof value === 'string' ? value : jsonLine(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
