// Reads the operands of a comparison, from GraphQL values and from JSON alike.

import { builtInType, type PgType } from '../../catalog/types.ts'
import type { Codec } from '../../database/sql/param.ts'
import { codecFor, stringCodec } from '../types/codecs.ts'
import type { ComparisonOperator, OperandObject, OperandValue } from '../types/comparison-operator.ts'
import { isOperandObject } from '../types/operators.ts'
import type { ParamOperand } from './mutation-plan.ts'
import type { Operand } from './plan.ts'

/** The value of an operand. */
export interface OperandReader<Read extends Operand = Operand> {
  /** The value as a parameter of the PostgreSQL type. */
  param(codec: Codec, sqlType: string): Read
  /** A list as one array parameter. */
  listParam(codec: Codec, elementType: string): Read
  /** The value itself; throws for null if the source of the value requires another one. */
  required(): OperandReader<Read>
  /** The values of an operand's members by name, including defaults; members without a value may be missing. */
  members(operand: OperandObject): ReadonlyMap<string, OperandReader<Read>>
}

/** The operands of a comparison, in the order in which the operator takes them; `codec` is that of the column. */
export function readOperands<Read extends Operand>(
  { operand }: ComparisonOperator,
  { type, codec }: { readonly type: PgType; readonly codec: Codec },
  value: OperandReader<Read>,
): readonly (Read | ParamOperand)[] {
  switch (operand) {
    case 'list':
      return [value.listParam(codec, type.sql)]
    case 'texts':
      return [value.listParam(stringCodec, 'text')]
    case 'text':
      return [value.param(stringCodec, 'text')]
    case 'scalar':
    case 'isNull':
      return [value.required().param(codec, type.sql)]
    case 'jsonb':
      return [value.required().param(codecFor(builtInType('jsonb')), 'jsonb')]
  }
  if (!isOperandObject(operand)) return [valueOperand(operand, type, operand.isList ? value : value.required())]
  const given = value.members(operand)
  return operand.members.map((member) => {
    const read = given.get(member.name)
    if (!read) return nullOperand(member, type)
    return valueOperand(member, type, member.default === undefined ? read : read.required())
  })
}

function valueOperand<Read extends Operand>(operand: OperandValue, column: PgType, value: OperandReader<Read>): Read {
  const type = operand.type(column)
  const sqlType = operand.sqlType ?? type.sql
  return operand.isList ? value.listParam(codecFor(type), sqlType) : value.param(codecFor(type), sqlType)
}

const nullOperand = ({ type, sqlType }: OperandValue, column: PgType): ParamOperand => ({
  kind: 'param',
  source: { from: 'constant', value: null },
  type: sqlType ?? type(column).sql,
})
