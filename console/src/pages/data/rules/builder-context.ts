// Facts that all parts of the builder of a rule share.

import { createContext, useContext } from 'react'

interface BuilderFacts {
  readonly canEdit: boolean
  /** The id of the list of session variables that values are completed from. */
  readonly variablesList: string
}

/** Given by the builder to its parts. */
export const BuilderContext = createContext<BuilderFacts>({ canEdit: false, variablesList: '' })

/** The facts of the builder around. */
export const useBuilder = (): BuilderFacts => useContext(BuilderContext)
