import { useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import type { GivenTable } from '../../../server/names.ts'
import { metadataQuery, tablesOf } from '../../../server/queries.ts'
import { BuilderContext } from './builder-context.ts'
import { ColumnPart } from './condition.tsx'
import { JsonPart } from './json-part.tsx'
import css from './rule-builder.module.css'
import { type RuleFields, useRuleFields } from './rule-fields.ts'
import { AddParts, AddTo, Group, GroupHead, RelationshipHead, TableChoice } from './rule-group.tsx'
import { type Expression, type RulePart, readRule, replaced, writeRule } from './rule-tree.ts'
import { shownVariable } from './shown-variable.ts'
import { variablesIn } from './variables.ts'

interface BuilderProps {
  readonly label: string
  readonly table: GivenTable
  readonly value: unknown
  readonly canEdit: boolean
  onChange(rule: Expression): void
}

/** A rule as a tree of conditions. Parts that it does not know are JSON, and stay. */
export function RuleBuilder({ label, table, value, canEdit, onChange }: BuilderProps) {
  const variablesList = useId()
  const { data } = useQuery(metadataQuery)
  const variables = useMemo(
    () => [...new Set(['user-id', ...variablesIn(data ? tablesOf(data) : [])])].map(shownVariable),
    [data],
  )
  const shared = useMemo(() => ({ canEdit, variablesList }), [canEdit, variablesList])
  return (
    <BuilderContext value={shared}>
      <div role="group" aria-label={`${label}, as conditions`} className={css['builder']}>
        <datalist id={variablesList}>
          {variables.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <ExpressionView {...{ table, value, onChange }} />
        <AddTo to="the rule" {...{ table, value, onChange }} />
      </div>
    </BuilderContext>
  )
}

interface ExpressionProps {
  readonly table: unknown
  readonly value: unknown
  onChange(rule: Expression): void
}

/** The parts of an expression, which hold together. */
function ExpressionView({ table, value, onChange }: ExpressionProps) {
  const fields = useRuleFields(table)
  // Parts are JSON until the meaning of their names is known.
  const parts = readRule(value, fields?.meaning ?? (() => undefined))
  if (!parts) return <JsonPart name={null} value={value} onChange={(next) => onChange(next as Expression)} />
  const change = (next: readonly RulePart[]) => onChange(writeRule(next))
  return (
    <>
      {parts.map((part, at) => (
        <PartView
          key={part.kind === 'json' ? part.key : at}
          {...{ part, fields, table }}
          onChange={(...next) => change(replaced(parts, at, ...next))}
        />
      ))}
      {parts.length === 0 && <p className={css['note']}>Every row.</p>}
    </>
  )
}

interface PartProps {
  readonly part: RulePart
  readonly fields: RuleFields | null
  readonly table: unknown
  /** No parts: it goes. */
  onChange(...parts: readonly RulePart[]): void
}

function PartView({ part, fields, table, onChange }: PartProps) {
  switch (part.kind) {
    case 'column':
      return fields && <ColumnPart {...{ part, fields, onChange }} />
    case 'related': {
      const to = fields?.relationships.get(part.key)?.to
      const change = (of: Expression) => onChange({ ...part, of })
      return (
        <Group
          head={<RelationshipHead {...{ part, fields, onChange }} />}
          add={<AddTo to={part.key} table={to} value={part.of} onChange={change} />}
          name={part.key}
          onRemove={() => onChange()}
        >
          <ExpressionView table={to} value={part.of} onChange={change} />
        </Group>
      )
    }
    case 'list': {
      const { items, key } = part
      const change = (next: readonly Expression[]) => onChange({ ...part, items: next })
      return (
        <Group
          head={<GroupHead {...{ part, table, onChange }} />}
          add={
            <AddParts
              {...{ table }}
              to={key}
              group={isAny(key) ? '_and' : '_or'}
              onAdd={(added) => change([...items, writeRule([added])])}
            />
          }
          name={key}
          onRemove={() => onChange()}
        >
          <Items {...{ part, table }} onChange={change} />
        </Group>
      )
    }
    case 'not': {
      const change = (of: Expression) => onChange({ ...part, of })
      return (
        <Group
          head={<GroupHead {...{ part, table, onChange }} />}
          add={<AddTo to={part.key} table={table} value={part.of} onChange={change} />}
          name={part.key}
          onRemove={() => onChange()}
        >
          <ExpressionView table={table} value={part.of} onChange={change} />
        </Group>
      )
    }
    case 'exists': {
      const change = (where: Expression) => onChange({ ...part, where })
      return (
        <Group
          head={
            <>
              <GroupHead {...{ part, table, onChange }} />
              <TableChoice
                value={part.table as GivenTable}
                onChange={(next) => onChange({ ...part, table: next, where: {} })}
              />
            </>
          }
          add={<AddTo to={part.key} table={part.table} value={part.where} onChange={change} />}
          name={part.key}
          onRemove={() => onChange()}
        >
          <ExpressionView table={part.table} value={part.where} onChange={change} />
        </Group>
      )
    }
    case 'json':
      return (
        <JsonPart
          name={part.key}
          value={part.value}
          onChange={(value) => onChange({ ...part, value })}
          onRemove={() => onChange()}
        />
      )
  }
}

const isAny = (key: string): boolean => key.endsWith('or')

interface ItemsProps {
  readonly part: RulePart & { readonly kind: 'list' }
  readonly table: unknown
  onChange(items: readonly Expression[]): void
}

/** The members of a list, each an expression of one or more parts. */
function Items({ part: { items, key }, table, onChange }: ItemsProps) {
  const fields = useRuleFields(table)
  return (
    <>
      {items.map((item, at) => {
        const parts = readRule(item, fields?.meaning ?? (() => undefined)) ?? []
        const [only] = parts
        const change = (...next: readonly RulePart[]) =>
          onChange(next.length === 0 ? replaced(items, at) : replaced(items, at, writeRule(next)))
        // Several comparisons of one column hold together as well.
        const isOne = parts.length === 1 && (only!.kind !== 'column' || only!.tests.length < 2)
        return only && isOne ? (
          <PartView key={at} {...{ fields, table }} part={only} onChange={change} />
        ) : (
          <Group
            key={at}
            head={<span className={css['word']}>all of</span>}
            name="these conditions"
            add={
              <AddTo
                to="these conditions"
                {...{ table }}
                value={item}
                onChange={(next) => onChange(replaced(items, at, next))}
              />
            }
            onRemove={() => onChange(replaced(items, at))}
          >
            <ExpressionView table={table} value={item} onChange={(next) => onChange(replaced(items, at, next))} />
          </Group>
        )
      })}
      {items.length === 0 && <p className={css['note']}>{isAny(key) ? 'No row.' : 'Every row.'}</p>}
    </>
  )
}
