// Fragment spreads that cannot be resolved: unknown names and cycles (graphql-api 2.3), found before planning.

import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { validationFailed } from '../errors.ts'
import { englishList } from '../names.ts'
import { below, type Path, pathKeys } from '../path.ts'

/** Throws when a selection set, or a fragment that it reaches, spreads an unknown fragment or itself. */
export function checkFragments(root: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): void {
  const checked = new Set<string>()
  const walk = (set: SelectionSetNode, outer: Path | null, open: readonly string[]): void => {
    const path = below(outer, 'selectionSet')
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        if (selection.selectionSet) walk(selection.selectionSet, below(path, selection.name.value), open)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, outer, open)
      } else {
        spread(selection.name.value, path, open)
      }
    }
  }
  const spread = (name: string, path: Path, open: readonly string[]): void => {
    const fragment = fragments.get(name)
    if (!fragment) throw validationFailed(`reference to undefined fragment "${name}"`, pathKeys(path))
    const start = open.indexOf(name)
    if (start >= 0) {
      const names = englishList(open.slice(start))
      throw validationFailed(`the fragment definition(s) ${names} form a cycle`, pathKeys(below(path, name)))
    }
    if (checked.has(name)) return
    walk(fragment.selectionSet, below(path, name), [...open, name])
    checked.add(name)
  }
  walk(root, null, [])
}
