// Finds spreads of unknown fragments and cycles of fragments before planning.

import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import { below, type Path, pathKeys } from '../../errors/path.ts'
import { englishList } from '../../names/names.ts'
import { maxNesting } from '../tuning.ts'

/** A position of the walk through the document. */
interface Place {
  readonly path: Path | null
  /** The enclosing fragments, innermost last. */
  readonly open: readonly string[]
  /** The number of enclosing selection sets. */
  readonly level: number
}

/** Throws if a selection set, or a fragment that it reaches, spreads an unknown fragment or itself. */
export function checkFragments(root: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): void {
  /** The levels of selection sets that each fragment adds. */
  const checked = new Map<string, number>()
  const walk = (set: SelectionSetNode, { path: outer, open, level }: Place): number => {
    const path = below(outer, 'selectionSet')
    checkLevel(level + 1, path)
    let deepest = 0
    for (const selection of set.selections) {
      const inner = { open, level: level + 1 }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        deepest = Math.max(deepest, spread(selection.name.value, { ...inner, path }))
      } else if (selection.selectionSet) {
        const at = selection.kind === Kind.FIELD ? below(path, selection.name.value) : outer
        deepest = Math.max(deepest, walk(selection.selectionSet, { ...inner, path: at }))
      }
    }
    return deepest + 1
  }
  const spread = (name: string, { path, open, level }: Place): number => {
    const fragment = fragments.get(name)
    if (!fragment) {
      const help = didYouMean(name, () => fragments.keys())
      throw validationFailed(`reference to undefined fragment "${name}"`, pathKeys(path), help)
    }
    const start = open.indexOf(name)
    if (start >= 0) {
      const names = englishList(open.slice(start))
      throw validationFailed(`the fragment definition(s) ${names} form a cycle`, pathKeys(path))
    }
    const known = checked.get(name)
    if (known !== undefined) {
      checkLevel(level + known, path)
      return known
    }
    const levels = walk(fragment.selectionSet, { path: below(path, name), open: [...open, name], level })
    checked.set(name, levels)
    return levels
  }
  walk(root, { path: null, open: [], level: 0 })
}

function checkLevel(level: number, path: Path | null): void {
  if (level > maxNesting) throw validationFailed('the selection is nested too deeply', pathKeys(path))
}
