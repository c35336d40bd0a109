// Whether this page may edit anything: the server's rule, and the person's choice.

import { facts } from '../base/facts.ts'
import { createStore } from '../base/store.ts'

/** Why nothing can be edited; null: editing is allowed. */
export const readOnly = createStore<'server' | 'choice' | null>(facts.isReadOnly ? 'server' : null)

/** Whether the server answered lately. */
export const isOnline = createStore(true)
