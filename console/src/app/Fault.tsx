import { Component, type ReactNode } from 'react';

import { problemOf, type Problem } from '../api/client';
import { ProblemView } from '../parts/ProblemView';
import { reloadPage } from './upgrade';

/** Keeps a page's own fault inside the page: navigation goes on. */
export class Fault extends Component<{ at: string; children: ReactNode }, { problem?: Problem | undefined }> {
  override state: { problem?: Problem | undefined } = {};

  static getDerivedStateFromError(fault: unknown): { problem: Problem } {
    return { problem: problemOf(fault) };
  }

  override componentDidUpdate(former: { at: string }): void {
    if (former.at !== this.props.at && this.state.problem) this.setState({ problem: undefined });
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <div className="page">
        <ProblemView problem={problem} onRetry={() => void reloadPage()} />
      </div>
    );
  }
}
