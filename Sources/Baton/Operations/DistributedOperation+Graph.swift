import Synchronization

/// The words of graph files, for operations that have not been added.
///
/// Each returns the operation, so that calls can follow each other; the result can also be left unused.
extension DistributedOperation {
    /// Names the queue that the operation goes to when it is part of the addition to another one.
    @discardableResult
    public func on(_ queue: DistributedOperationQueue) -> Self {
        status.withLock { $0.chosenQueue = queue }
        return self
    }

    /// Names the operation; see ``name``.
    @discardableResult
    public func named(_ name: String) -> Self {
        self.name = name
        return self
    }

    /// Sets the priority; see ``queuePriority``.
    @discardableResult
    public func priority(_ level: QueuePriority) -> Self {
        queuePriority = level
        return self
    }

    /// Makes the operation a barrier; see ``isBarrier``.
    @discardableResult
    public func barrier() -> Self {
        status.withLock { $0.isBarrier = true }
        return self
    }

    /// Lets the operation start once the others are finished, whatever their outcomes.
    @discardableResult
    public func after(_ ops: DistributedOperation...) -> Self { after(ops) }

    /// Lets the operation start once all operations of an array are finished, whatever their outcomes.
    @discardableResult
    public func after(_ ops: [DistributedOperation]) -> Self {
        for op in ops { addDependency(op) }
        return self
    }

    /// Lets the operation start if all the others succeed; otherwise it is skipped.
    @discardableResult
    public func needs(_ ops: DistributedOperation...) -> Self { needs(ops) }

    /// Lets the operation start if all operations of an array succeed; otherwise it is skipped.
    @discardableResult
    public func needs(_ ops: [DistributedOperation]) -> Self {
        for op in ops { addDependency(op, requiring: .success) }
        return self
    }

    /// Lets the operation start if one of the others fails, once all are finished; otherwise it is skipped.
    @discardableResult
    public func onFailure(of ops: DistributedOperation...) -> Self { onFailure(of: ops) }

    /// Lets the operation start if one operation of an array fails, once all are finished; otherwise it is skipped.
    @discardableResult
    public func onFailure(of ops: [DistributedOperation]) -> Self {
        for op in ops { addDependency(op, requiring: .failure) }
        return self
    }
}
