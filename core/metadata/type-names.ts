// Names of GraphQL types that are taken before any table is tracked.

import { introspectionTypes } from 'graphql'

const scalars = ['Int', 'Float', 'String', 'Boolean', 'ID']
const reserved = new Set([...scalars, 'query_root', 'mutation_root', 'subscription_root', 'order_by'])

/** Whether nothing of the database can be a type of that name beside the types that every schema has. */
export const isReservedType = (name: string): boolean => reserved.has(name) || isIntrospectionType(name)

const isIntrospectionType = (name: string): boolean => introspectionTypes.some((type) => type.name === name)

/** The error about a name that stands for two types. */
export const conflictingDefinitions = (name: string): string =>
  `found conflicting definitions for "${name}" when collecting types from the schema`
