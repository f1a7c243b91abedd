@_spi(Baton) import BatonOperations

/// Requests that change limits, and submissions that take units of them.
extension Scheduler {
    /// Sets or removes a limit; a lower number stops nobody (LI3).
    mutating func setLimit(_ change: LimitChange, request: RequestID) {
        do throws(Refusal) {
            try change.validated()
            let isChanged = try changeLimit(change)
            answer(request, .changed(ChangeReport(changed: isChanged ? 1 : 0)))
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }

    /// - Returns: whether anything has changed.
    private mutating func changeLimit(_ change: LimitChange) throws(Refusal) -> Bool {
        let name = change.name
        if change.units == nil {
            guard limits[name] != nil else {
                throw Refusal(.notFound, "There is no limit \"\(name)\".")
            }
            guard !graph.requests.takesLimit(name) else {
                throw Refusal(
                    .invalid,
                    "Operations of unfinished jobs take units of the limit \"\(name)\". Wait for the end of these jobs, or cancel "
                        + "them, and try again."
                )
            }
        } else if limits[name] == nil, limits.all.count >= LimitChange.maximumCount {
            throw Refusal(
                .invalid,
                "There are \(LimitChange.maximumCount) limits, and no more are possible. Remove one, or use one that is there."
            )
        }
        let units = change.units.map { Int($0) }
        guard limits[name]?.units != units else { return false }
        limits.set(name, units)
        emit(.commit(.limit(change)))
        note(.limit(change))
        return true
    }

    /// Refuses templates that take units of a limit that does not exist.
    ///
    /// - Complexity: O(templates).
    func checkLimits(of templates: [Template]) throws(Refusal) {
        for template in templates {
            for name in template.take.keys.sorted() where limits[name] == nil {
                throw Refusal(
                    .invalid,
                    "Operations take units of the limit \"\(name.asShown)\", which does not exist. Set the limit first, or "
                        + "leave it out."
                )
            }
        }
    }
}
