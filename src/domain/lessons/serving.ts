/** What a session has been shown of a lesson, and when. */
export interface LessonServing {
  readonly sessionId: string;
  readonly lessonId: string;
  /** Version of the lesson as it was shown last. */
  readonly version: number;
  readonly form: 'body' | 'gist';
  /** The session's turn, from 0. */
  readonly turn: number;
  readonly servedAt: Date;
}
