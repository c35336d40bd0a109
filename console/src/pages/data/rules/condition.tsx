import { X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../parts/button.tsx'
import { Field, Select } from '../../../parts/field.tsx'
import { operatorSign } from '../rule-text.ts'
import { useBuilder } from './builder-context.ts'
import css from './rule-builder.module.css'
import type { RuleFields } from './rule-fields.ts'
import { type RulePart, type RuleTest, replaced } from './rule-tree.ts'
import { typedValue, valueFor, valueText } from './rule-values.ts'

interface ConditionProps {
  readonly part: RulePart & { readonly kind: 'column' }
  readonly fields: RuleFields
  /** No parts: it goes. */
  onChange(...parts: readonly RulePart[]): void
}

/** The name of a relationship among the choices, which no column shares. */
const relatedMark = 'to '

/** The comparisons of one column, each in a line. */
export const ColumnPart = ({ part, fields, onChange }: ConditionProps) => {
  const change = (at: number, ...tests: readonly RuleTest[]) => {
    const rest = replaced(part.tests, at, ...tests)
    onChange(...(rest.length === 0 ? [] : [{ ...part, tests: rest }]))
  }
  const move = (test: RuleTest, to: RulePart) => {
    const rest = part.tests.filter((each) => each !== test)
    onChange(...(rest.length === 0 ? [] : [{ ...part, tests: rest }]), to)
  }
  return part.tests.length === 0 ? (
    <Line name={part.key} onRemove={() => onChange()}>
      <span className={css['note']}>is compared with nothing: every row</span>
    </Line>
  ) : (
    part.tests.map((test, at) => (
      <Comparison
        key={at}
        {...{ test, fields }}
        name={part.key}
        onChange={(next) => change(at, next)}
        onMove={(to) => move(test, to)}
        onRemove={() => change(at)}
      />
    ))
  )
}

const Line = ({
  name,
  children,
  onRemove,
}: {
  readonly name: string
  readonly children: React.ReactNode
  onRemove(): void
}) => {
  const { canEdit } = useBuilder()
  return (
    <div className={css['line']}>
      <code>{name}</code>
      {children}
      {canEdit && <IconButton label={`Remove condition on ${name}`} icon={<X aria-hidden />} onClick={onRemove} />}
    </div>
  )
}

interface ComparisonProps {
  readonly name: string
  readonly test: RuleTest
  readonly fields: RuleFields
  onChange(test: RuleTest): void
  /** Another column or a relationship takes its place. */
  onMove(to: RulePart): void
  onRemove(): void
}

function Comparison({ name, test, fields, onChange, onMove, onRemove }: ComparisonProps) {
  const { canEdit } = useBuilder()
  const column = fields.columns.get(name)
  const operator = test.operator ?? '_eq'
  const operators = column?.operators ?? []
  const known = operators.includes(operator) ? operators : [operator, ...operators]
  const choose = (next: string) => {
    if (next.startsWith(relatedMark)) return onMove({ kind: 'related', key: next.slice(relatedMark.length), of: {} })
    onMove({ kind: 'column', key: next, tests: [{ operator, value: test.value }] })
  }
  return (
    <div className={css['line']}>
      <Select<string>
        label="Column"
        isLabelHidden
        disabled={!canEdit}
        value={name}
        options={[
          ...[...fields.columns.keys()].map((each) => ({ value: each, label: each })),
          ...[...fields.relationships.keys()].map((each) => ({ value: relatedMark + each, label: `${each} →` })),
        ]}
        onChange={choose}
      />
      <div className={css['operator']}>
        <Select<string>
          label={`Operator of ${name}`}
          isLabelHidden
          disabled={!canEdit}
          value={operator}
          options={known.map((each) => ({ value: each, label: operatorSign(each) }))}
          onChange={(next) => onChange({ operator: next, value: valueFor(next, test.value) })}
        />
      </div>
      <Value
        key={operator}
        {...{ name, test, operator }}
        type={column?.type ?? ''}
        columns={operator.startsWith('_c') && known.includes(operator) ? [...fields.columns.keys()] : null}
        onChange={(value) => onChange({ ...test, value })}
      />
      {canEdit && <IconButton label={`Remove condition on ${name}`} icon={<X aria-hidden />} onClick={onRemove} />}
    </div>
  )
}

interface ValueProps {
  readonly name: string
  readonly test: RuleTest
  readonly operator: string
  readonly type: string
  /** The columns to compare with; null: it is a value. */
  readonly columns: readonly string[] | null
  onChange(value: unknown): void
}

const between = /^_c(?:eq|ne|neq|gt|lt|gte|lte)$/

function Value({ name, test, operator, type, columns, onChange }: ValueProps) {
  const { canEdit, variablesList } = useBuilder()
  const [draft, setDraft] = useState<string | null>(null)
  const { value } = test
  if (operator === '_is_null' && typeof value === 'boolean') {
    return (
      <Select<string>
        label={`Value of ${name}`}
        isLabelHidden
        disabled={!canEdit}
        value={String(value)}
        options={[
          { value: 'true', label: 'yes' },
          { value: 'false', label: 'no' },
        ]}
        onChange={(next) => onChange(next === 'true')}
      />
    )
  }
  if (columns && between.test(operator) && typeof value === 'string' && columns.includes(value)) {
    return (
      <Select<string>
        label={`Column to compare ${name} with`}
        isLabelHidden
        disabled={!canEdit}
        value={value}
        options={columns.map((each) => ({ value: each, label: each }))}
        onChange={onChange}
      />
    )
  }
  return (
    <Field
      label={`Value of ${name}`}
      isLabelHidden
      isCode
      list={variablesList}
      disabled={!canEdit}
      value={draft ?? valueText(value)}
      placeholder="empty text"
      onBlur={() => setDraft(null)}
      onChange={({ target }) => {
        setDraft(target.value)
        onChange(typedValue(target.value, { operator, type, old: value }))
      }}
    />
  )
}
