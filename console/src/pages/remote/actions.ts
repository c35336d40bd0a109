// Actions and custom types of a document.

import type { Metadata } from '../../server/queries.ts'
import type { Action, CustomTypes } from './action-types.ts'

/** The actions of a document. */
export const actionsOf = ({ metadata }: Metadata): readonly Action[] => (metadata['actions'] ?? []) as readonly Action[]

/** The custom types of a document. */
export const customTypesOf = ({ metadata }: Metadata): CustomTypes => (metadata['custom_types'] ?? {}) as CustomTypes

/** Whether calls of an action are answered later. */
export const isAsynchronous = ({ definition }: Action): boolean => definition.kind === 'asynchronous'
