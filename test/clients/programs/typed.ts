// Compiled against the types that were generated from the schemas of two roles.

import { GraphQLClient } from 'graphql-request'
import { AddBookDocument, AdminBooksDocument, type Book_Insert_Input } from '../generated/admin.ts'
import { type Book as ReaderBook, ReaderBooksDocument, type Query_Root as ReaderQueries } from '../generated/reader.ts'

const [, , url = ''] = process.argv
const admin = new GraphQLClient(`${url}/v1/graphql`)
const reader = new GraphQLClient(`${url}/v1/graphql`, { headers: { 'x-service-role': 'reader' } })

const { book } = await admin.request(AdminBooksDocument, { where: { publisher: { name: { _eq: 'Ark' } } }, limit: 2 })
const prices: (number | null | undefined)[] = book.map(({ price }) => price)
const counts: (number | undefined)[] = book.map(({ publisher }) => publisher.books_aggregate.aggregate?.count)

const object: Book_Insert_Input = { id: 1, title: 'Dawn', publisher: { data: { name: 'Dune' } } }
const { insert_book_one } = await admin.request(AddBookDocument, { object })

const { book: readable } = await reader.request(ReaderBooksDocument, { title: { _like: '%g' } })
const titles: string[] = readable.map(({ title }) => title)

type HasNo<T, K extends string> = K extends keyof T ? false : true
const hidden: [HasNo<ReaderBook, 'price'>, HasNo<ReaderQueries, 'publisher'>] = [true, true]

// @ts-expect-error -- a filter on a column that the role must not see
void (() => reader.request(ReaderBooksDocument, { price: { _gt: 1 } }))

console.log(JSON.stringify({ prices, counts, added: insert_book_one?.title, titles, hidden }))
