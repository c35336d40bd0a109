import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { plural } from '../../../base/format.ts'
import { useKeptForm } from '../../../base/kept-form.ts'
import { Checkbox, Field, Select } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { SmallTable } from '../../../parts/small-table.tsx'
import { Failed } from '../../../parts/states.tsx'
import { Touched } from '../../../parts/touched.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { tableKey, tableLabel, tableName } from '../../../server/names.ts'
import { entryOf, type Metadata, rolesOf, type TableEntry, tablesOf } from '../../../server/queries.ts'
import { tableRelationships } from '../relations/relationships.ts'
import { tableInfoQuery } from '../table-info.ts'
import { type Copy, copiesOf, copyOperations, type TargetTable } from './copying.ts'
import css from './permissions.module.css'
import { permissionOf, type Verb, verbs } from './verbs.ts'

interface CopyDialogProps {
  readonly entry: TableEntry
  readonly base: Metadata
  readonly role: string
  onClose(): void
}

/** Tables that are listed at once. */
const listedTables = 50

const toggled = <T,>(list: readonly T[], item: T): readonly T[] =>
  list.includes(item) ? list.filter((each) => each !== item) : [...list, item]

interface Values {
  readonly source: Verb | 'all'
  readonly targets: readonly Verb[]
  readonly roles: readonly string[]
  readonly another: string
  readonly keys: readonly string[]
}

/** Copies the permissions of a role to other roles, verbs and tables, in one edit. */
export function CopyDialog({ entry, base, role, onClose }: CopyDialogProps) {
  const had = verbs.filter((verb) => permissionOf(entry, role, verb))
  const { values, change, draft } = useKeptForm<Values>(`copies of ${role} on ${tableKey(entry.table)}`, {
    ...{ source: 'all', targets: [], roles: [], another: '', keys: [tableKey(entry.table)] },
  })
  const { source, targets, roles, another, keys } = values
  const { isBusy, error, save } = useEdit()
  const chosen = tablesOf(base).filter(({ table }) => keys.includes(tableKey(table)))
  const infos = useQueries({ queries: chosen.map(({ table }) => tableInfoQuery(tableName(table))) })
  const tables = chosen.flatMap((each, at): readonly TargetTable[] => {
    const info = infos[at]?.data
    if (!info) return []
    const leads = tableRelationships(each, info).find(
      ({ kind, to, isToSource }) => kind === 'object' && !isToSource && tableKey(to) === tableKey(entry.table),
    )
    const columns = info.columns.map(({ name }) => name)
    return [{ name: info.name, entry: each, columns, toSource: leads?.name ?? null }]
  })
  const copies = copiesOf({
    ...{ entry, role, tables, roles: [...roles, another.trim()].filter((name) => name !== '' && name !== 'admin') },
    verbs: source === 'all' ? had.map((verb) => [verb, verb] as const) : targets.map((verb) => [source, verb] as const),
  })
  const copy = async () => {
    const words = plural(copies.length, 'permission')
    const title = `Copy ${words} of ${role} on ${tableLabel(entry.table)}`
    const part = (now: Metadata) =>
      copies.map(({ table, role: target, verb }) => permissionOf(entryOf(now, table.name), target, verb))
    const operations = (now: Metadata) => copyOperations(copies, now)
    if (!(await save({ title, base, part, operations, done: `Copied ${words}` }))) return
    draft.forget()
    onClose()
  }
  return (
    <FormDialog
      isWide
      title={`Copy permissions of ${role} on ${tableLabel(entry.table)}`}
      onClose={onClose}
      submit={`Copy ${plural(copies.length, 'permission')}`}
      isBusy={isBusy}
      disabled={copies.length === 0}
      onSubmit={copy}
      draft={draft}
      error={error}
    >
      <Select<Verb | 'all'>
        label="What"
        value={source}
        options={[
          { value: 'all', label: `all verbs as they are: ${had.join(', ')}` },
          ...had.map((verb) => ({ value: verb, label: `the permission to ${verb}, for chosen verbs` })),
        ]}
        onChange={(next) => change({ source: next })}
      />
      {source !== 'all' && (
        <Choices
          legend="To verbs"
          items={verbs}
          chosen={targets}
          onToggle={(verb) => change({ targets: toggled(targets, verb) })}
        />
      )}
      <Choices
        legend="To roles"
        items={rolesOf(base)}
        chosen={roles}
        onToggle={(name) => change({ roles: toggled(roles, name) })}
      >
        <Field label="Another role" value={another} onChange={({ target }) => change({ another: target.value })} />
      </Choices>
      <TableChoices base={base} keys={keys} onToggle={(key) => change({ keys: toggled(keys, key) })} />
      {infos.map(
        ({ isError, error: failure }, at) => isError && <Failed key={tableKey(chosen[at]!.table)} error={failure} />,
      )}
      {copies.length > 0 && <Targets copies={copies} />}
      {copies.length > 0 && <Touched operations={copyOperations(copies, base)} />}
    </FormDialog>
  )
}

interface ChoicesProps<T extends string> {
  readonly legend: string
  readonly items: readonly T[]
  readonly chosen: readonly T[]
  readonly children?: React.ReactNode
  onToggle(item: T): void
}

const Choices = <T extends string>({ legend, items, chosen, children, onToggle }: ChoicesProps<T>) => (
  <fieldset className={css['columns']}>
    <legend>{legend}</legend>
    {items.map((item) => (
      <Checkbox key={item} label={item} checked={chosen.includes(item)} onChange={() => onToggle(item)} />
    ))}
    {children}
  </fieldset>
)

interface TableChoicesProps {
  readonly base: Metadata
  readonly keys: readonly string[]
  onToggle(key: string): void
}

function TableChoices({ base, keys, onToggle }: TableChoicesProps) {
  const [needle, setNeedle] = useState('')
  const all = tablesOf(base).map(({ table }) => ({ key: tableKey(table), label: tableLabel(table) }))
  const isShown = ({ key, label }: (typeof all)[number]) =>
    keys.includes(key) || label.toLowerCase().includes(needle.trim().toLowerCase())
  const shown = all.filter(isShown)
  return (
    <fieldset className={css['columns']}>
      <legend>On tables</legend>
      {all.length > listedTables && (
        <Field label="Find a table" value={needle} onChange={({ target }) => setNeedle(target.value)} />
      )}
      {shown.slice(0, listedTables).map(({ key, label }) => (
        <Checkbox key={key} label={label} checked={keys.includes(key)} onChange={() => onToggle(key)} />
      ))}
    </fieldset>
  )
}

/** The targets: tables by roles. */
function Targets({ copies }: { readonly copies: readonly Copy[] }) {
  const roles = [...new Set(copies.map(({ role }) => role))]
  const tables = [...new Map(copies.map(({ table }) => [tableKey(table.name), table])).values()]
  return (
    <SmallTable label="Targets" heads={['Table', ...roles]} className={`${css['table']} ${css['targets']}`}>
      {tables.map((table) => (
        <tr key={tableKey(table.name)}>
          <th scope="row">{tableLabel(table.name)}</th>
          {roles.map((role) => (
            <td key={role}>
              {copies
                .filter((copy) => copy.role === role && copy.table === table)
                .map(({ verb, old, missing, through }) => (
                  <div key={verb}>
                    <Mark state={old ? 'waiting' : 'good'}>
                      {verb} {old ? 'replaced' : 'new'}
                    </Mark>
                    {through !== null && <div className={css['missing']}>through {through}</div>}
                    {missing.length > 0 && <div className={css['missing']}>without {missing.join(', ')}</div>}
                  </div>
                ))}
            </td>
          ))}
        </tr>
      ))}
    </SmallTable>
  )
}
