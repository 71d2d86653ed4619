import type { Hono } from 'hono'
import { badRequest, refusal } from './answers.js'

/** Answers the other methods of a path with those that it has. It comes after their routes, as the first route answers. */
export const rejectOtherMethods = (app: Hono, path: string, methods: readonly string[]): void => {
  app.all(path, ({ req }) =>
    refusal(
      badRequest(`method: expected ${methods.join(' or ')} for ${path}, got ${req.method}`),
      405,
      { allow: methods.flatMap(withHead).join(', ') },
    ),
  )
}

/** Adds the method that every route of GET answers too. */
const withHead = (method: string): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method])
