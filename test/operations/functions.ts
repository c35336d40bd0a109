// Tracking functions.

import { documentHas, doesNotServe, noField, serves } from './effects.ts'
import type { Area, Refusal } from './entry.ts'
import { named } from './world.ts'

/** Functions that cannot be tracked, with the reasons. */
const unfit: readonly (readonly [title: string, name: string, sql: string, ...reasons: string[]])[] = [
  [
    'whose name is none of GraphQL',
    '1st-book',
    `"1st-book"() returns setof book language sql stable as 'select * from book'`,
    'function name is not a legal GraphQL identifier',
  ],
  [
    'with VARIADIC arguments',
    'many',
    `many(variadic a int[]) returns setof book language sql stable as 'select * from book'`,
    'function with "VARIADIC" parameters are not supported',
  ],
  [
    'that returns numbers',
    'numbers',
    `numbers() returns setof int language sql stable as 'select 1'`,
    'the function does not return a "COMPOSITE" type',
    'the function does not return a SETOF table',
  ],
  [
    'that returns rows of no table',
    'pairs',
    `pairs() returns setof pair language sql stable as 'select row(1, 2)::pair'`,
    'the function does not return a SETOF table',
  ],
  [
    'whose arguments have other names than GraphQL has',
    'odd_arguments',
    `odd_arguments("a b" int, fine int, "c-d" int) returns setof book language sql stable as 'select * from book'`,
    'the function arguments a b,c-d are not in compliance with GraphQL spec',
  ],
]

function cannotBeTracked(name: string, ...reasons: readonly string[]): string {
  const what = `in function "${name}": the function "${name}" cannot be tracked`
  if (reasons.length === 1) return `${what} because ${reasons[0]}`
  return `${what} for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`
}

/** Refusals of both versions, for the arguments that contain the name. */
const refusals = (args: (name: string | object) => unknown): Refusal[] => [
  {
    title: 'a function that is tracked',
    args: args('search_book'),
    code: 'already-tracked',
    error: 'function already tracked : "search_book"',
  },
  {
    title: 'the name of a tracked table',
    args: args(named('book')),
    code: 'not-supported',
    error: 'table with name "book" already exists',
  },
  {
    title: 'a function that is not there',
    args: args({ schema: 'crm', name: 'nothing' }),
    code: 'constraint-violation',
    error: 'in function "crm.nothing": no such function exists in postgres : "crm.nothing"',
    internal: [
      {
        type: 'function',
        definition: { schema: 'crm', name: 'nothing' },
        reason: 'in function "crm.nothing": no such function exists in postgres : "crm.nothing"',
      },
    ],
  },
  {
    title: 'a name that several functions have',
    args: args('same'),
    code: 'constraint-violation',
    error: 'in function "same": function "same" is overloaded. Overloaded functions are not supported',
  },
  {
    title: 'an aggregate function',
    args: args('last_book'),
    code: 'constraint-violation',
    error: 'in function "last_book": no such function exists in postgres : "last_book"',
  },
  ...unfit.map(
    ([title, name, , ...reasons]): Refusal => ({
      title: `a function ${title}`,
      args: args(name),
      code: 'constraint-violation',
      error: cannotBeTracked(name, ...reasons),
    }),
  ),
  {
    title: 'a function that returns rows of an untracked table',
    args: args('leads'),
    code: 'constraint-violation',
    error: 'table "crm.lead" is not tracked',
  },
]

export const functions: Area = {
  title: 'functions',
  sql: `
    create type pair as (a int, b int);
    ${unfit.map(([, , sql]) => `create function ${sql};`).join('\n')}
    create function same() returns setof book language sql stable as 'select * from book';
    create function same(a int) returns setof book language sql stable as 'select * from book';
    create function keep(book, book) returns book language sql immutable as 'select $2';
    create aggregate last_book(book) (sfunc = keep, stype = book);
    create function leads() returns setof crm.lead language sql stable as 'select * from crm.lead';
    create function crm.all_books() returns setof book language sql stable as 'select * from book';
    create function mine(minimum int, who json, binary_who jsonb default null) returns setof book language sql stable as
      $$ select * from book where pages >= minimum and who ->> 'x-service-shelf' = 'open' $$`,
  operations: [
    {
      type: 'create_function_permission',
      requires: ['function', 'role'],
      succeeds: [
        {
          title: 'keeps the role',
          args: { function: 'search_book', role: 'reader' },
          then: [documentHas('functions', [{ function: named('search_book'), permissions: [{ role: 'reader' }] }])],
        },
      ],
      refuses: [
        {
          title: 'a role that may not select the rows',
          args: { function: 'search_book', role: 'stranger' },
          code: 'not-supported',
          error:
            'function permission can only be added when the function\'s return table "book" has select permission configured for role: "stranger"',
        },
        {
          title: 'a function that is not tracked',
          args: { function: 'same', role: 'reader' },
          code: 'not-exists',
          error: 'function "same" does not exist',
        },
      ],
    },
    {
      type: 'drop_function_permission',
      requires: ['function', 'role'],
      succeeds: [
        {
          title: 'removes the role',
          given: [{ type: 'create_function_permission', args: { function: 'search_book', role: 'reader' } }],
          args: { function: 'search_book', role: 'reader' },
          then: [documentHas('functions', [{ function: named('search_book') }])],
        },
      ],
      refuses: [
        {
          title: 'a role without permission',
          args: { function: 'search_book', role: 'reader' },
          code: 'not-exists',
          error: 'permission of role "reader" does not exist for function "search_book"',
        },
      ],
    },
    {
      type: 'set_function_customization',
      requires: ['function'],
      succeeds: [
        {
          title: 'renames the root fields',
          args: { function: 'search_book', configuration: { custom_name: 'found_books' } },
          then: [
            documentHas('functions', [
              { function: named('search_book'), configuration: { custom_name: 'found_books' } },
            ]),
            serves('{ found_books(args: {word: "Dawn"}) { id } }', { found_books: [{ id: 1 }] }),
          ],
        },
      ],
      refuses: [
        {
          title: 'a function that is not tracked',
          args: { function: 'same' },
          code: 'not-exists',
          error: 'function "same" does not exist',
        },
      ],
    },
    {
      type: 'track_function',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'serves the function as root fields',
          args: { schema: 'crm', name: 'all_books' },
          then: [
            documentHas('functions', [
              { function: { schema: 'crm', name: 'all_books' } },
              { function: named('search_book') },
            ]),
            serves(
              '{ crm_all_books(order_by: {id: desc}, limit: 1) { title } crm_all_books_aggregate { aggregate { count } } }',
              {
                crm_all_books: [{ title: 'Fog' }],
                crm_all_books_aggregate: { aggregate: { count: 3 } },
              },
            ),
            serves(
              '{ crm_all_books(order_by: {id: asc}) { title } }',
              { crm_all_books: [{ title: 'Dawn' }, { title: 'Ebb' }] },
              { role: 'reader' },
            ),
          ],
        },
        {
          title: 'takes a bare name',
          args: 'mine',
          then: [serves('{ mine(args: {minimum: 1, who: "{}"}) { title } }', { mine: [] })],
        },
      ],
      refuses: refusals((name) => name),
    },
    {
      type: 'track_function',
      version: 2,
      requires: ['function'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'gives an argument the session variables',
          args: { function: 'mine', configuration: { session_argument: 'who' } },
          then: [
            documentHas('functions', [
              { function: named('mine'), configuration: { session_argument: 'who' } },
              { function: named('search_book') },
            ]),
            serves(
              '{ mine(args: {minimum: 100}) { title } }',
              { mine: [{ title: 'Dawn' }, { title: 'Ebb' }] },
              {
                headers: { 'x-service-shelf': 'open' },
              },
            ),
            doesNotServe(
              '{ mine(args: {who: "{}", minimum: 1}) { title } }',
              'field "who" not found in type: \'mine_args\'',
            ),
          ],
        },
        {
          title: 'does without a configuration',
          args: { function: { name: 'mine' }, configuration: {} },
          then: [documentHas('functions', [{ function: named('mine') }, { function: named('search_book') }])],
        },
      ],
      refuses: [
        ...refusals((name) => ({ function: name })),
        {
          title: 'a session argument that is none',
          args: { function: 'mine', configuration: { session_argument: 's' } },
          code: 'constraint-violation',
          error: cannotBeTracked('mine', 'given session argument "s" not the input argument of the function'),
        },
        {
          title: 'a session argument that is no json',
          args: { function: 'mine', configuration: { session_argument: 'binary_who' } },
          code: 'constraint-violation',
          error: cannotBeTracked('mine', 'given session argument "binary_who" is not of type json'),
        },
      ],
    },
    {
      type: 'untrack_function',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'takes its root fields away',
          args: named('search_book'),
          then: [
            documentHas('functions', undefined),
            doesNotServe('{ search_book(args: {word: "a"}) { title } }', noField('search_book')),
          ],
        },
        {
          title: 'forgets a function that is gone',
          given: ['drop function search_book', { type: 'reload_metadata', args: {} }],
          args: 'search_book',
          then: [documentHas('functions', undefined)],
        },
      ],
      refuses: [
        {
          title: 'a function that is not tracked',
          args: 'leads',
          code: 'not-exists',
          error: 'function not found in cache "leads"',
        },
      ],
    },
  ],
}
