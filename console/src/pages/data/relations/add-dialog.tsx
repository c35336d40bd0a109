import { useState } from 'react'
import { Dialog } from '../../../parts/dialog.tsx'
import { Tabs } from '../../../parts/tabs.tsx'
import { tableLabel } from '../../../server/names.ts'
import type { Metadata, TableEntry } from '../../../server/queries.ts'
import { remoteSchemasOf } from '../../../server/remote-schemas.ts'
import type { TableInfo } from '../table-info.ts'
import type { RemoteRelationship } from './relationships.ts'
import { RemoteForm } from './remote-form.tsx'
import { TableForm } from './table-form.tsx'

interface AddDialogProps {
  readonly info: TableInfo
  readonly entry: TableEntry
  readonly base: Metadata
  /** A remote relationship to change; absent: a new relationship. */
  readonly changed: RemoteRelationship | undefined
  readonly isRemote: boolean
  onClose(): void
}

/** A relationship that no foreign key suggests: to a table, or to a field of a remote schema. */
export function AddDialog({ info, entry, base, changed, isRemote, onClose }: AddDialogProps) {
  const [target, setTarget] = useState<'table' | 'remote'>(isRemote ? 'remote' : 'table')
  const hasRemote = remoteSchemasOf(base).length > 0
  return (
    <Dialog
      isOpen
      isWide
      title={
        changed
          ? `Change ${changed.name} of ${tableLabel(info.name)}`
          : `Add a relationship to ${tableLabel(info.name)}`
      }
      onClose={onClose}
    >
      {changed || !hasRemote ? (
        changed ? (
          <RemoteForm {...{ info, base, changed, onClose }} />
        ) : (
          <TableForm {...{ info, entry, base, onClose }} />
        )
      ) : (
        <Tabs<'table' | 'remote'>
          label="Where it leads"
          value={target}
          tabs={[
            { value: 'table', label: 'To a table' },
            { value: 'remote', label: 'To a remote schema' },
          ]}
          onChange={setTarget}
        >
          {target === 'table' ? (
            <TableForm {...{ info, entry, base, onClose }} />
          ) : (
            <RemoteForm {...{ info, base, onClose }} />
          )}
        </Tabs>
      )}
    </Dialog>
  )
}
