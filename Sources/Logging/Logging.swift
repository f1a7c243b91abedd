// Logging
