/** Reports of runs in their forms. Apart, so that commands without one need not load what writes them. */
import { renderHtml } from '../../../domain/evaluation/report/render-html.js';
import { renderMarkdown } from '../../../domain/evaluation/report/render-markdown.js';
import { reportHead, withoutQuotes } from '../../../domain/evaluation/report/report-head.js';
import type { FinishedRun } from '../../../domain/evaluation/repositories.js';
import { reportDocument } from '../../evaluation/report-document.js';
import type { ReportForm } from './evaluation-options.js';

export function renderReport(
  form: ReportForm,
  runId: string,
  { report: whole, finishedAt, timing }: FinishedRun,
  hasQuotes: boolean,
): string {
  const report = hasQuotes ? whole : withoutQuotes(whole);
  const head = reportHead(runId, finishedAt, timing);
  switch (form) {
    case 'md':
      return renderMarkdown(report, head);
    case 'html':
      return renderHtml(report, head);
    case 'json':
      return `${JSON.stringify(reportDocument(report, head), null, 2)}\n`;
  }
}
