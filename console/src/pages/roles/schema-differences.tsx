import { CodeList } from '../../parts/code-list.tsx'
import { Section } from '../../parts/page.tsx'
import type { SchemaDifferences } from '../../server/simulate.ts'
import css from './roles.module.css'

interface DifferencesProps {
  /** The names of both sides. */
  readonly a: string
  readonly b: string
  readonly differences: SchemaDifferences
}

/** Types, fields and arguments that differ between two schemas. */
export function SchemaDifferencesView({ a, b, differences }: DifferencesProps) {
  const { only_a: onlyA, only_b: onlyB, differing, more } = differences
  const isSame = onlyA.length + onlyB.length + differing.length === 0
  return (
    <Section title="GraphQL schemas">
      {isSame && <p>Both schemas are the same.</p>}
      <div className={css['sides']}>
        <Side title={`Only ${a} has`} paths={onlyA} />
        <Side title={`Only ${b} has`} paths={onlyB} />
      </div>
      {differing.length > 0 && (
        <>
          <h3 className={css['heading']}>In both, with different types</h3>
          <ul>
            {differing.map((each) => (
              <li key={each.path}>
                <code>
                  {each.path}: {each.a} / {each.b}
                </code>
              </li>
            ))}
          </ul>
        </>
      )}
      {more && <p className={css['note']}>The first 1,000 differences are shown.</p>}
    </Section>
  )
}

const Side = ({ title, paths }: { readonly title: string; readonly paths: readonly string[] }) => (
  <section aria-label={title}>
    <h3 className={css['heading']}>
      {title} {paths.length === 0 ? 'nothing' : ''}
    </h3>
    <CodeList texts={paths} />
  </section>
)
