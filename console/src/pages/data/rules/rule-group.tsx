import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Select } from '../../../parts/field.tsx'
import { type GivenTable, tableKey, tableLabel } from '../../../server/names.ts'
import { metadataQuery, tablesOf } from '../../../server/queries.ts'
import { useBuilder } from './builder-context.ts'
import css from './rule-builder.module.css'
import { type RuleFields, useRuleFields } from './rule-fields.ts'
import { type Expression, type GroupWord, type RulePart, readRule, regrouped, writeRule } from './rule-tree.ts'
import { shownVariable } from './shown-variable.ts'

/** The column that a new condition begins with: the first one that has no condition yet. */
function newPart(parts: readonly RulePart[], { columns }: RuleFields): RulePart {
  const keys = [...columns.keys()]
  const key = keys.find((each) => !parts.some((part) => part.key === each)) ?? keys[0] ?? 'id'
  return { kind: 'column', key, tests: [{ operator: '_eq', value: shownVariable('user-id') }] }
}

interface AddProps {
  /** The place that it is added to, for screen readers. */
  readonly to: string
  readonly table: unknown
  /** Those that are there. */
  readonly parts?: readonly RulePart[]
  /** The word of a new group. */
  readonly group: '_and' | '_or'
  onAdd(part: RulePart): void
}

/** Adds a condition, or a group with one. */
export function AddParts({ to, table, parts = [], group, onAdd }: AddProps) {
  const { canEdit } = useBuilder()
  const fields = useRuleFields(table)
  if (!canEdit || !fields) return null
  const part = newPart(parts, fields)
  return (
    <div className={css['add']}>
      <Button
        look="quiet"
        icon={<Plus aria-hidden />}
        aria-label={`Add condition to ${to}`}
        onClick={() => onAdd(part)}
      >
        Condition
      </Button>
      <Button
        look="quiet"
        icon={<Plus aria-hidden />}
        aria-label={`Add group to ${to}`}
        onClick={() => onAdd({ kind: 'list', key: group, items: [writeRule([part])] })}
      >
        Group
      </Button>
    </div>
  )
}

interface AddToProps {
  readonly to: string
  readonly table: unknown
  readonly value: unknown
  onChange(rule: Expression): void
}

/** Adds to an expression, whose parts hold together. */
export function AddTo({ to, table, value, onChange }: AddToProps) {
  const fields = useRuleFields(table)
  const parts = readRule(value, fields?.meaning ?? (() => undefined))
  return (
    parts && <AddParts {...{ to, table, parts }} group="_or" onAdd={(part) => onChange(writeRule([...parts, part]))} />
  )
}

interface GroupProps {
  readonly head: React.ReactNode
  /** Buttons that add members. */
  readonly add: React.ReactNode
  readonly name: string
  readonly children: React.ReactNode
  onRemove(): void
}

/** Members that belong together, below their word. */
export const Group = ({ head, add, name, children, onRemove }: GroupProps) => {
  const { canEdit } = useBuilder()
  return (
    <div className={css['group']} role="group" aria-label={name}>
      <div className={css['head']}>
        {head}
        {add}
        <span className={css['space']} />
        {canEdit && <IconButton label={`Remove ${name}`} icon={<X aria-hidden />} onClick={onRemove} />}
      </div>
      <div className={css['members']}>{children}</div>
    </div>
  )
}

const groupWords = {
  _or: 'any of',
  _and: 'all of',
  _not: 'not',
  _exists: 'a row exists in',
} satisfies Record<GroupWord, string>

const wordOf = ({ key }: RulePart): GroupWord => key.replace(/^\$/, '_') as GroupWord

interface HeadProps {
  readonly part: RulePart
  readonly table: unknown
  onChange(part: RulePart): void
}

/** How the members of a group belong together. */
export function GroupHead({ part, table, onChange }: HeadProps) {
  const { canEdit } = useBuilder()
  return (
    <div className={css['choice']}>
      <Select<GroupWord>
        label="Group"
        isLabelHidden
        disabled={!canEdit}
        value={wordOf(part)}
        options={Object.entries(groupWords).map(([value, label]) => ({ value: value as GroupWord, label }))}
        onChange={(word) => word !== wordOf(part) && onChange(regrouped(part, word, table))}
      />
    </div>
  )
}

interface RelationshipHeadProps {
  readonly part: RulePart & { readonly kind: 'related' }
  readonly fields: RuleFields | null
  onChange(part: RulePart): void
}

/** The relationship that members are reached through. */
export function RelationshipHead({ part, fields, onChange }: RelationshipHeadProps) {
  const { canEdit } = useBuilder()
  const names = [...(fields?.relationships.keys() ?? [])]
  const isMany = fields?.relationships.get(part.key)?.kind === 'array'
  return (
    <>
      <div className={css['choice']}>
        <Select<string>
          label="Relationship"
          isLabelHidden
          disabled={!canEdit}
          value={part.key}
          options={names.map((each) => ({ value: each, label: `${each} →` }))}
          onChange={(key) => onChange({ kind: 'related', key, of: {} })}
        />
      </div>
      <span className={css['word']}>{isMany ? 'has a row with' : 'has'}</span>
    </>
  )
}

/** The table of an `_exists`. */
export function TableChoice({ value, onChange }: { readonly value: GivenTable; onChange(table: GivenTable): void }) {
  const { canEdit } = useBuilder()
  const { data } = useQuery(metadataQuery)
  const tables = data ? tablesOf(data).map(({ table }) => table) : []
  return (
    <div className={css['choice']}>
      <Select<string>
        label="Table"
        isLabelHidden
        disabled={!canEdit}
        value={tableKey(value)}
        options={[
          ...(tables.some((each) => tableKey(each) === tableKey(value))
            ? []
            : [{ value: tableKey(value), label: tableLabel(value) }]),
          ...tables.map((each) => ({ value: tableKey(each), label: tableLabel(each) })),
        ]}
        onChange={(key) => onChange(tables.find((each) => tableKey(each) === key) ?? value)}
      />
    </div>
  )
}
