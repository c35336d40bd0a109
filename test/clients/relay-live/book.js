// What relay-compiler reads: a book that is watched, read and renamed.

import { graphql } from 'relay-runtime'

export const watch = graphql`
  subscription bookWatchSubscription($id: Int!) {
    book_connection(where: { id: { _eq: $id } }) {
      edges {
        node {
          id
          title
        }
      }
    }
  }
`

export const wrong = graphql`
  subscription bookWrongSubscription($count: Int = -1) {
    book_connection(first: $count) {
      edges {
        node {
          id
        }
      }
    }
  }
`

export const read = graphql`
  query bookReadQuery($id: Int!) {
    book_connection(where: { id: { _eq: $id } }) {
      edges {
        node {
          id
          title
        }
      }
    }
  }
`

export const rename = graphql`
  mutation bookRenameMutation($id: Int!, $title: String!) {
    update_book_by_pk(pk_columns: { id: $id }, _set: { title: $title }) {
      id
      title
    }
  }
`
