import assert from 'node:assert/strict'
import test from 'node:test'
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printType,
} from 'graphql'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

async function schemaOf(trellis: TestTrellis, role = 'admin'): Promise<GraphQLSchema> {
  const answer = await trellis.graphql<{ data: IntrospectionQuery }>(getIntrospectionQuery(), undefined, { role })
  return buildClientSchema(answer.data)
}

/** A type as text, without descriptions. */
const typeText = (schema: GraphQLSchema, name: string) =>
  printType(schema.getType(name)!)
    .replace(/"""[\s\S]*?"""/g, '')
    .replace(/\s+/g, ' ')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
    .trim()

test("the administrator's mutations are those of the interface", async (t) => {
  const trellis = await startLibrary(t)
  const schema = await schemaOf(trellis)
  const fields = Object.values(schema.getMutationType()!.getFields())
  const lines = fields.map(({ name, args, type }) => {
    return `${name}(${args.map((argument) => `${argument.name}: ${argument.type}`).join(', ')}): ${type}`
  })
  const jsonb = ['append', 'delete_at_path', 'delete_elem', 'delete_key', 'inc', 'prepend', 'set']
  const operators = jsonb.map((name) => `_${name}: publisher_${name}_input`).join(', ')
  assert.deepEqual(lines, [
    'delete_book(where: book_bool_exp!): book_mutation_response',
    'delete_book_by_pk(id: Int!): book',
    'delete_publisher(where: publisher_bool_exp!): publisher_mutation_response',
    'delete_publisher_by_pk(id: Int!): publisher',
    'insert_book(objects: [book_insert_input!]!, on_conflict: book_on_conflict): book_mutation_response',
    'insert_book_one(object: book_insert_input!, on_conflict: book_on_conflict): book',
    'insert_publisher(objects: [publisher_insert_input!]!, on_conflict: publisher_on_conflict): publisher_mutation_response',
    'insert_publisher_one(object: publisher_insert_input!, on_conflict: publisher_on_conflict): publisher',
    'update_book(_inc: book_inc_input, _set: book_set_input, where: book_bool_exp!): book_mutation_response',
    'update_book_by_pk(_inc: book_inc_input, _set: book_set_input, pk_columns: book_pk_columns_input!): book',
    'update_book_many(updates: [book_updates!]!): [book_mutation_response]',
    `update_publisher(${operators}, where: publisher_bool_exp!): publisher_mutation_response`,
    `update_publisher_by_pk(${operators}, pk_columns: publisher_pk_columns_input!): publisher`,
    'update_publisher_many(updates: [publisher_updates!]!): [publisher_mutation_response]',
  ])
  const types = [
    'input book_insert_input { id: Int pages: Int price: numeric publisher: publisher_obj_rel_insert_input publisher_id: Int released_on: date title: String }',
    'input publisher_insert_input { books: book_arr_rel_insert_input id: Int info: jsonb name: String }',
    'input publisher_obj_rel_insert_input { data: publisher_insert_input! on_conflict: publisher_on_conflict }',
    'input book_arr_rel_insert_input { data: [book_insert_input!]! on_conflict: book_on_conflict }',
    'input book_on_conflict { constraint: book_constraint! update_columns: [book_update_column!]! = [] where: book_bool_exp }',
    'enum book_constraint { book_pkey }',
    'enum publisher_constraint { publisher_name_key publisher_pkey }',
    'enum book_update_column { id pages price publisher_id released_on title }',
    'input book_set_input { id: Int pages: Int price: numeric publisher_id: Int released_on: date title: String }',
    'input book_inc_input { id: Int pages: Int price: numeric publisher_id: Int }',
    'input book_pk_columns_input { id: Int! }',
    'input book_updates { _inc: book_inc_input _set: book_set_input where: book_bool_exp! }',
    'input publisher_append_input { info: jsonb }',
    'input publisher_prepend_input { info: jsonb }',
    'input publisher_delete_key_input { info: String }',
    'input publisher_delete_elem_input { info: Int }',
    'input publisher_delete_at_path_input { info: [String!] }',
    'type book_mutation_response { affected_rows: Int! returning: [book!]! }',
  ]
  for (const text of types) assert.equal(typeText(schema, text.split(' ')[1]!), text)
})

test('mutation fields, arguments and types are described', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create schema shop;
      create table shop.item (id int primary key, data jsonb, parent_id int references shop.item);
      comment on column shop.item.data is 'All there is'`,
  })
  const table = { schema: 'shop', name: 'item' }
  await trellis.op('track_table', table)
  const using = { foreign_key_constraint_on: 'parent_id' }
  await trellis.op('create_object_relationship', { table, name: 'parent', using })
  const children = { foreign_key_constraint_on: { table, column: 'parent_id' } }
  await trellis.op('create_array_relationship', { table, name: 'children', using: children })
  const schema = await schemaOf(trellis)
  assert.equal(schema.getMutationType()!.description, 'mutation root')
  const described = Object.values(schema.getMutationType()!.getFields()).map(({ name, description, args }) => [
    name,
    description,
    Object.fromEntries(args.map((argument) => [argument.name, argument.description ?? null])),
  ])
  const operators = {
    _append: 'append existing jsonb value of filtered columns with new jsonb value',
    _delete_at_path:
      'delete the field or element with specified path (for JSON arrays, negative integers count from the end)',
    _delete_elem:
      'delete the array element with specified index (negative integers count from the end). throws an error if top level container is not an array',
    _delete_key: 'delete key/value pair or string element. key/value pairs are matched based on their key value',
    _inc: 'increments the numeric columns with given value of the filtered values',
    _prepend: 'prepend existing jsonb value of filtered columns with new jsonb value',
    _set: 'sets the columns of the filtered rows to the given values',
  }
  const conflict = { on_conflict: 'on conflict condition' }
  assert.deepEqual(described, [
    [
      'delete_shop_item',
      'delete data from the table: "shop.item"',
      { where: 'filter the rows which have to be deleted' },
    ],
    ['delete_shop_item_by_pk', 'delete single row from the table: "shop.item"', { id: null }],
    [
      'insert_shop_item',
      'insert data into the table: "shop.item"',
      { objects: 'the rows to be inserted', ...conflict },
    ],
    [
      'insert_shop_item_one',
      'insert a single row into the table: "shop.item"',
      { object: 'the row to be inserted', ...conflict },
    ],
    [
      'update_shop_item',
      'update data of the table: "shop.item"',
      { ...operators, where: 'filter the rows which have to be updated' },
    ],
    ['update_shop_item_by_pk', 'update single row of the table: "shop.item"', { ...operators, pk_columns: null }],
    [
      'update_shop_item_many',
      'run several updates of the table: "shop.item"',
      { updates: 'updates to execute, in order' },
    ],
  ])
  const descriptions = {
    shop_item_mutation_response: 'response of any mutation on the table "shop.item"',
    shop_item_insert_input: 'input type for inserting data into table "shop.item"',
    shop_item_obj_rel_insert_input: 'input type for inserting object relation for remote table "shop.item"',
    shop_item_arr_rel_insert_input: 'input type for inserting array relation for remote table "shop.item"',
    shop_item_on_conflict: 'on conflict condition type for table "shop.item"',
    shop_item_constraint: 'unique or primary key constraints on table "shop.item"',
    shop_item_set_input: 'input type for updating data in table "shop.item"',
    shop_item_inc_input: 'input type for incrementing numeric columns in table "shop.item"',
    shop_item_append_input: operators._append,
    shop_item_pk_columns_input: 'primary key columns input for table: shop.item',
  }
  for (const [name, description] of Object.entries(descriptions)) {
    assert.equal(schema.getType(name)!.description, description)
  }
  assert.match(printType(schema.getType('shop_item_insert_input')!), /"""All there is"""\s+data: jsonb/)
  assert.match(printType(schema.getType('shop_item_set_input')!), /"""All there is"""\s+data: jsonb/)
})

test('custom names replace those of fields and columns', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table thing ("the id" int primary key, "class" text, n int)`,
  })
  await trellis.op('track_table', 'thing')
  await trellis.op(
    'set_table_custom_fields',
    {
      table: 'thing',
      custom_root_fields: { insert: 'addThings', update_by_pk: 'changeThing', delete: 'dropThings' },
      custom_column_names: { 'the id': 'id', class: 'kind' },
    },
    { version: 2 },
  )
  const answer = await trellis.graphql(`mutation {
    addThings(
      objects: [{id: 1, kind: "a", n: 1}, {id: 2, kind: "b", n: 2}]
      on_conflict: {constraint: thing_pkey, update_columns: [kind]}
    ) { returning { id kind } }
    changeThing(pk_columns: {id: 1}, _set: {kind: "c"}, _inc: {n: 5}) { id kind n }
    dropThings(where: {kind: {_eq: "b"}}) { affected_rows }
    delete_thing_by_pk(id: 1) { id }
  }`)
  assert.deepEqual(answer, {
    data: {
      addThings: {
        returning: [
          { id: 1, kind: 'a' },
          { id: 2, kind: 'b' },
        ],
      },
      changeThing: { id: 1, kind: 'c', n: 6 },
      dropThings: { affected_rows: 1 },
      delete_thing_by_pk: { id: 1 },
    },
  })
})
