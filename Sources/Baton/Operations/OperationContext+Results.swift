@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWorker

extension OperationContext {
    /// The dependencies, in their order, those without a result too.
    ///
    /// A dependency on an array or a job stands for all its operations.
    public var dependencies: [DependencyResult] { call.call.inputs.map(DependencyResult.init) }

    /// Returns the output of the only dependency of a type.
    ///
    /// - Parameter type: the dependency's type.
    /// - Throws: ``ClusterError`` with the code ``ClusterError/Code/unavailable`` if no dependency or several have the type, or if the
    ///   dependency did not succeed; ``ClusterError/Code/coding`` if the result cannot be decoded.
    public func result<Work: ClusterOperation>(of type: Work.Type) throws -> Work.Output {
        let found = dependencies(of: type)
        guard let only = found.first, found.count == 1 else {
            let count = found.isEmpty ? "no dependency" : "\(found.count) dependencies"
            throw ClusterError(
                .unavailable,
                "The operation \(address) has \(count) of type \"\(type.typeName.asShown)\", where one is meant."
            )
        }
        guard let output = try only.value(of: type) else {
            throw ClusterError(
                .unavailable,
                "The dependency \(only.label) left no result: its outcome is \(only.outcome)."
            )
        }
        return output
    }

    /// Returns the outputs of all dependencies of a type, in their order; nil where a dependency did not succeed.
    ///
    /// - Parameter type: the dependencies' type.
    /// - Throws: ``ClusterError`` with the code ``ClusterError/Code/coding`` if a result cannot be decoded.
    public func results<Work: ClusterOperation>(of type: Work.Type) throws -> [Work.Output?] {
        try dependencies(of: type).map { try $0.value(of: type) }
    }

    private func dependencies<Work: ClusterOperation>(of type: Work.Type) -> [DependencyResult] {
        dependencies.filter { $0.typeName == type.typeName }
    }
}
