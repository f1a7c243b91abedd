@_spi(Baton) import BatonDocuments

extension CoordinatorCore {
    /// What the coordinator says of its health.
    var health: HealthDocument.Process {
        let error = commits.error
        let fault = error.map { ", and cannot write its record. \($0)" }
        return HealthDocument.Process(
            role: .coordinator,
            name: nil,
            answers: true,
            ready: error == nil,
            message: "The coordinator at \(endpoint) answers\(fault ?? ".")"
        )
    }
}
