// Package alerts holds the tests of the alerts (chart/files/alerts.yaml) and of
// the metrics that they and the dashboard name. It uses Prometheus' own rule
// engine as a library: promtool, which would do as well, takes more than ten
// minutes to build.
package alerts
