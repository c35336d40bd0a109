// What relay-compiler reads: a list that is paged, and a node that is fetched again.

import { graphql } from 'relay-runtime'

export const booksQuery = graphql`
  query booksQuery($count: Int!, $cursor: String) {
    ...books_list @arguments(count: $count, cursor: $cursor)
  }
`

export const booksList = graphql`
  fragment books_list on query_root
  @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
  @refetchable(queryName: "booksPageQuery") {
    book_connection(first: $count, after: $cursor, order_by: { title: asc }) @connection(key: "books_book_connection") {
      edges {
        cursor
        node {
          id
          ...books_item
        }
      }
    }
  }
`

export const booksItem = graphql`
  fragment books_item on book @refetchable(queryName: "booksItemQuery") {
    id
    title
    publisher {
      name
    }
  }
`

export const booksRename = graphql`
  mutation booksRenameMutation($id: Int!, $title: String!) {
    update_book_by_pk(pk_columns: { id: $id }, _set: { title: $title }) {
      id
      title
    }
  }
`
