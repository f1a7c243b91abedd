@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

extension CoordinatorCore {
    /// What the coordinator says of its health.
    var health: HealthDocument.Process {
        let error = commits.error
        let fault =
            error.map { ", and cannot write its record. \($0)" }
            ?? (isSilent ? ", and is silent: the server of its record has not confirmed the lease." : nil)
        return HealthDocument.Process(
            role: .coordinator,
            name: nil,
            answers: true,
            ready: error == nil && !isSilent,
            coordinator: endpoint,
            executing: scheduler.counts.executing,
            duty: .leads,
            message: "The coordinator at \(endpoint) answers\(fault ?? ".")"
        )
    }
}
