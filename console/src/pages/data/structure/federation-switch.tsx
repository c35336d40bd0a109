import { Checkbox } from '../../../parts/field.tsx'
import { type TableEntry, useConfig } from '../../../server/queries.ts'
import type { TableInfo } from '../table-info.ts'

interface FederationSwitchProps {
  readonly info: TableInfo
  readonly entry: TableEntry
  readonly canEdit: boolean
  onChange(isEntity: boolean): void
}

/** Whether rows of the table are entities of Apollo Federation. Servers without the plugin have no such setting. */
export function FederationSwitch({ info, entry, canEdit, onChange }: FederationSwitchProps) {
  const plugin = useConfig()?.plugins.find(({ name }) => name === 'federation')
  if (!plugin) return null
  const isEntity = Boolean(entry['apollo_federation_config'])
  const isOff = plugin.options['enableApolloFederation'] === false
  const hindrance = isOff
    ? 'The server runs without --enable-apollo-federation.'
    : info.primary_key === null
      ? 'The table has no primary key.'
      : null
  return (
    <Checkbox
      label={`Entity of Apollo Federation: gateways join each row by its primary key${hindrance ? `. ${hindrance}` : ''}`}
      checked={isEntity}
      // A setting without effect can be taken back.
      disabled={!canEdit || (hindrance !== null && !isEntity)}
      onChange={(event) => onChange(event.target.checked)}
    />
  )
}
