@_spi(Baton) import BatonOperations

extension OperationNode: Vacatable {
    static var vacant: OperationNode {
        OperationNode(
            job: .unused,
            entry: -1,
            index: 0,
            count: 0,
            queue: .unused,
            sequence: 0,
            order: 0,
            priority: .normal
        )
    }
}

extension LiveJob: Vacatable {
    static var vacant: LiveJob {
        let nothing = Submission(templates: [], entries: [])
        return LiveJob(
            JobRecord(number: JobNumber(0), submittedAt: Timestamp(rawValue: 0), order: 0, submission: nothing),
            TemplateNeeds(of: [])
        )
    }
}

extension WorkerState: Vacatable {
    static var vacant: WorkerState {
        let nobody = WorkerIntroduction(name: "", session: SessionID(rawValue: 0), slots: 0)
        return WorkerState(introduction: nobody, joinedAt: Timestamp(rawValue: 0))
    }
}

extension HookTable.Entry: Vacatable {
    static var vacant: HookTable.Entry {
        let nothing = CompletionHook(
            operation: OperationID(job: JobNumber(0), index: 0),
            attempt: 0,
            outcome: .succeeded,
            worker: nil,
            name: nil,
            queue: "",
            work: Work(.noOperation)
        )
        return HookTable.Entry(hook: nothing, isCommitted: false)
    }
}
