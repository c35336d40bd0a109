// Remote schemas and their permissions.

import assert from 'node:assert/strict'
import { documentHas, doesNotServe, noField, serves } from './effects.ts'
import type { Area, Call, Refusal } from './entry.ts'
import { deadUrl, remoteUrl } from './remote-server.ts'

const definition = { url: remoteUrl, headers: [{ name: 'x-key', value: 'k' }], timeout_seconds: 20 }
const customization = { root_fields_namespace: 'crm', type_names: { prefix: 'crm_' } }

const add = (name: string, given: object = definition): Call => ({
  type: 'add_remote_schema',
  args: { name, definition: given },
})

const added = add('crm')
const schema = 'type Query { user(id: Int!): User } type User { name: String! }'
const permission = { remote_schema: 'crm', role: 'reader', definition: { schema } }
const permitted: Call = { type: 'add_remote_schema_permissions', args: permission }

const unfit = (args: (definition: object) => object): readonly Refusal[] => [
  { title: 'no URL', args: args({}), code: 'invalid-params', error: "both `url` and `url_from_env` can't be empty" },
  {
    title: 'two URLs',
    args: args({ url: remoteUrl, url_from_env: 'X' }),
    code: 'invalid-params',
    error: "both `url` and `url_from_env` can't be present",
  },
  {
    title: 'a URL that is none',
    args: args({ url: 'no url' }),
    code: 'parse-failed',
    path: '$.definition.url',
    error: 'not a valid URI',
    fits: true,
  },
  {
    title: 'a server that does not answer',
    args: args({ url: deadUrl }),
    code: 'remote-schema-error',
    error: `HTTP exception occurred while sending the request to ${deadUrl}`,
  },
]

const noSuch = (error: string): Refusal => ({
  title: 'a remote schema that is not there',
  args: { name: 'nobody' },
  code: 'not-exists',
  error,
})

export const remoteSchemas: Area = {
  title: 'remote schemas',
  settings: { enableRemoteSchemaPermissions: true },
  operations: [
    {
      type: 'add_remote_schema',
      requires: ['name', 'definition'],
      ownWords: ['$.definition.headers[0]'],
      succeeds: [
        {
          title: 'adds root fields of another server',
          args: { name: 'crm', definition, comment: 'people' },
          then: [
            documentHas('remote_schemas', [{ name: 'crm', definition, comment: 'people' }]),
            serves('{ user(id: 1) { name } __typename }', { user: { name: 'user 1' }, __typename: 'query_root' }),
          ],
        },
        {
          title: 'adds them under other names',
          args: { name: 'crm', definition: { ...definition, customization } },
          then: [serves('{ crm { user(id: 1) { __typename } } }', { crm: { user: { __typename: 'crm_User' } } })],
        },
      ],
      refuses: [
        ...unfit((given) => ({ name: 'crm', definition: given })),
        {
          title: 'a name that is taken',
          given: [added],
          args: added.args,
          code: 'already-exists',
          error: 'remote schema with name "crm" already exists',
        },
      ],
    },
    {
      type: 'update_remote_schema',
      requires: ['name', 'definition'],
      succeeds: [
        {
          title: 'changes how the server is reached, and the names',
          given: [added],
          args: { name: 'crm', definition: { url: remoteUrl, customization } },
          then: [
            documentHas('remote_schemas', [{ name: 'crm', definition: { url: remoteUrl, customization } }]),
            serves('{ crm { user(id: 1) { name } } }', { crm: { user: { name: 'user 1' } } }),
          ],
        },
      ],
      refuses: [
        {
          title: 'a remote schema that is not there',
          args: added.args,
          code: 'not-exists',
          error: 'remote schema with name "crm" does not exist',
        },
      ],
    },
    {
      type: 'remove_remote_schema',
      requires: ['name'],
      succeeds: [
        {
          title: 'takes a remote schema away',
          given: [added],
          args: { name: 'crm' },
          then: [documentHas('remote_schemas', undefined), doesNotServe('{ user(id: 1) { name } }', noField('user'))],
        },
      ],
      refuses: [noSuch('no such remote schema')],
    },
    {
      type: 'reload_remote_schema',
      requires: ['name'],
      succeeds: [{ title: 'asks the server again', given: [added], args: { name: 'crm' } }],
      refuses: [noSuch('remote schema with name "nobody" does not exist')],
    },
    {
      type: 'introspect_remote_schema',
      requires: ['name'],
      succeeds: [
        {
          title: 'answers with what the server said',
          given: [added],
          args: { name: 'crm' },
          answers: (body: { data: { __schema: { types: { name: string }[] } } }) =>
            assert.ok(body.data.__schema.types.some(({ name }) => name === 'Unused')),
        },
      ],
      refuses: [noSuch('remote schema: "nobody" not found')],
    },
    {
      type: 'add_remote_schema_permissions',
      requires: ['remote_schema', 'role', 'definition'],
      succeeds: [
        {
          title: 'lets a role see a part',
          given: [added],
          args: { ...permission, comment: 'names only' },
          then: [
            documentHas('remote_schemas', [
              {
                name: 'crm',
                definition,
                permissions: [{ role: 'reader', definition: { schema }, comment: 'names only' }],
              },
            ]),
            serves('{ user(id: 1) { name } }', { user: { name: 'user 1' } }, { role: 'reader' }),
            doesNotServe('{ user(id: 1) { id } }', noField('id', 'User'), { role: 'reader' }),
          ],
        },
      ],
      refuses: [
        {
          title: 'what is no part of the schema',
          given: [added],
          args: { ...permission, definition: { schema: 'type Query { nobody: Int }' } },
          code: 'constraint-violation',
          error:
            'validation for the given role-based schema failed because field "nobody" does not exist in the "Object": "Query"',
        },
        {
          title: 'the role admin',
          given: [added],
          args: { ...permission, role: 'admin' },
          code: 'constraint-violation',
          path: '$.args.role',
          error: 'cannot define permission for admin role',
        },
        {
          title: 'a second one',
          given: [added, permitted],
          args: permission,
          code: 'already-exists',
          error: 'permissions for role: "reader" for remote schema: "crm" already exists',
        },
      ],
    },
    {
      type: 'drop_remote_schema_permissions',
      requires: ['remote_schema', 'role'],
      succeeds: [
        {
          title: 'takes it away',
          given: [added, permitted],
          args: { remote_schema: 'crm', role: 'reader' },
          then: [doesNotServe('{ user(id: 1) { name } }', noField('user'), { role: 'reader' })],
        },
      ],
      refuses: [
        {
          title: 'a permission that is not there',
          given: [added],
          args: { remote_schema: 'crm', role: 'reader' },
          code: 'not-exists',
          error: `permissions for role: "reader" for remote schema: "crm" doesn't exist`,
        },
      ],
    },
  ],
}
