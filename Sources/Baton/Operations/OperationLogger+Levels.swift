extension OperationLogger {
    /// Logs a step of a program.
    public func trace(_ message: @autoclosure () -> String, metadata: @autoclosure () -> [String: String]? = nil) {
        log(level: .trace, message(), metadata: metadata())
    }

    /// Logs details for the search for a fault.
    public func debug(_ message: @autoclosure () -> String, metadata: @autoclosure () -> [String: String]? = nil) {
        log(level: .debug, message(), metadata: metadata())
    }

    /// Logs information for an operator.
    public func info(_ message: @autoclosure () -> String, metadata: @autoclosure () -> [String: String]? = nil) {
        log(level: .info, message(), metadata: metadata())
    }

    /// Logs an event out of the ordinary that is no fault.
    public func notice(_ message: @autoclosure () -> String, metadata: @autoclosure () -> [String: String]? = nil) {
        log(level: .notice, message(), metadata: metadata())
    }

    /// Logs a condition that may become a fault.
    public func warning(_ message: @autoclosure () -> String, metadata: @autoclosure () -> [String: String]? = nil) {
        log(level: .warning, message(), metadata: metadata())
    }

    /// Logs a fault.
    public func error(_ message: @autoclosure () -> String, metadata: @autoclosure () -> [String: String]? = nil) {
        log(level: .error, message(), metadata: metadata())
    }

    /// Logs a fault that needs attention now.
    public func critical(_ message: @autoclosure () -> String, metadata: @autoclosure () -> [String: String]? = nil) {
        log(level: .critical, message(), metadata: metadata())
    }
}
