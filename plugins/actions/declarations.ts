// TypeScript declarations of actions and their types for authors of handlers; they fill `ActionTypes`.

import type { Route } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import { type ModelField, type NamedType, nameOfType, type ResolvedType } from '../custom-types/index.ts'
import type { ActionModel } from './metadata.ts'

/** The declarations of the served actions; administrators only. */
export const declarationsRoute = (engine: Pick<Engine, 'model'>): Route => ({
  method: 'GET',
  url: '/v1alpha1/actions.d.ts',
  auth: 'admin',
  about: { summary: 'Returns the actions as TypeScript declarations.', contentType: 'text/plain' },
  handle({ reply }) {
    reply.header('content-type', 'text/plain; charset=utf-8')
    return declarations(engine.model)
  },
})

/** The text of the declarations. */
export function declarations({ slices: { custom_types: custom, actions } }: Pick<Model, 'slices'>): string {
  const types = [...(custom?.types.values() ?? [])].flatMap(declaration)
  const members = [...(actions?.values() ?? [])].map(actionMember)
  const interfaces = ["declare module 'trellis/actions' {", '  interface ActionTypes {', ...members, '  }', '}']
  return `${["import 'trellis/actions'", '', ...types, ...interfaces].join('\n')}\n`
}

/** Names that TypeScript types cannot have, or that mean something else in these declarations. */
const taken = new Set(
  [
    'await break case catch class const continue debugger default delete do else enum export extends false finally for',
    'function if import in instanceof new null return super switch this throw true try typeof var void while with',
    'implements interface let package private protected public static yield keyof readonly unique infer',
    'any unknown never number bigint boolean string symbol object undefined Readonly Record ActionTypes',
  ].flatMap((line) => line.split(' ')),
)

const typeName = (name: string): string => (taken.has(name) ? `${name}_` : name)

function declaration(type: NamedType): string[] {
  switch (type.kind) {
    case 'scalar':
      return [`export type ${typeName(type.scalar.name)} = unknown`, '']
    case 'enum':
      return [`export type ${typeName(type.enumeration.name)} = ${literals(type.enumeration.values)}`, '']
    case 'input':
      return [
        `export interface ${typeName(type.input.name)} {`,
        ...type.input.fields.map((field) => `  ${member(field)}`),
        '}',
        '',
      ]
    case 'object':
      return [
        `export interface ${typeName(type.object.name)} {`,
        ...type.object.fields.map((field) => `  ${member(field)}`),
        '}',
        '',
      ]
    default:
      return []
  }
}

const literals = (values: readonly { readonly value: string }[]): string =>
  values.map(({ value }) => `'${value}'`).join(' | ')

/** Nullable members are optional. */
const member = ({ name, type }: Pick<ModelField, 'name' | 'type'>): string =>
  `${name}${type.isNullable ? '?' : ''}: ${typeText(type)}`

function actionMember({ name, arguments: args, output }: ActionModel): string {
  const input = args.length > 0 ? `{ ${args.map(member).join('; ')} }` : 'Readonly<Record<never, never>>'
  return `    ${name}: { input: ${input}; output: ${typeText(output)} }`
}

function typeText(type: ResolvedType): string {
  const text = type.kind === 'list' ? `readonly (${typeText(type.of)})[]` : nameOf(type.of)
  return type.isNullable ? `${text} | null` : text
}

const builtIn: Readonly<Record<string, string>> = { Int: 'number', Float: 'number', Boolean: 'boolean' }

/** Database scalars by the form of their JSON; unknown ones are texts. */
const ofDatabase: ReadonlyMap<string, string> = new Map([
  ['json', 'unknown'],
  ['jsonb', 'unknown'],
  ['int2', 'number'],
  ['int8', 'number | string'],
  ['float8', 'number | string'],
  ['numeric', 'number | string'],
])

function nameOf(type: NamedType): string {
  if (type.kind === 'builtIn') return builtIn[type.name] ?? 'string'
  if (type.kind === 'database') return ofDatabase.get(type.type.name) ?? 'string'
  return typeName(nameOfType(type))
}
